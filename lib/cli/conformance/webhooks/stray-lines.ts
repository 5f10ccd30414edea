import { printable } from '../../../common/printable.js';

/** What reached the listener that is no webhook of the run. */
export interface StrayRequests {
  /** Webhooks with references of others. */
  readonly ofOthers: number;
  /** How many POSTs came to each other path. */
  readonly elsewhere: ReadonlyMap<string, number>;
}

const LONGEST_PATH = 100;

/** What a person should know who waits for webhooks in vain. */
export function strayLines({ ofOthers, elsewhere }: StrayRequests): readonly string[] {
  return [
    ...[...elsewhere].map(
      ([path, count]) => `${posts(count)} came to another path: ${printable(path.slice(0, LONGEST_PATH))}`,
    ),
    ...(ofOthers === 0
      ? []
      : [
          `${posts(ofOthers)} had the reference of somebody else and got 503, so that the gateway sends them again.`,
        ]),
  ];
}

function posts(count: number): string {
  return count === 1 ? '1 POST' : `${count} POSTs`;
}
