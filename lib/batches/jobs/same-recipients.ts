import {
  type BatchLine,
  type BatchStore,
  type LineChange,
  type SameRecipient,
} from '../../storage/batch-store.js';
import { resultOf } from '../batch/line-result.js';
import { type ResolvedBatchPolicy } from '../policy/batch-policy.js';

const DAY_MS = 86_400_000;
/** A chunk has fewer lines. */
const ALL = 10_000;

/** The lines of a chunk. */
export interface ChunkPlace {
  readonly load: string;
  readonly chunk: number;
}

/** For each line of a chunk another one that goes to its recipient, if there is one: of another batch rather than of its own. */
export async function sameRecipients(
  store: BatchStore,
  { load, chunk }: ChunkPlace,
  { sameRecipientWithinDays }: Pick<ResolvedBatchPolicy, 'sameRecipientWithinDays'>,
): Promise<ReadonlyMap<number, SameRecipient>> {
  if (sameRecipientWithinDays === 0) return new Map();
  const same = await store.sameRecipients(load, chunk, sameRecipientWithinDays * DAY_MS, ALL);
  return new Map(same.map((line) => [line.number, line]));
}

/** What a person reads of it, and takes responsibility for. */
export function sameRecipientText({ batch, key }: Pick<SameRecipient, 'batch' | 'key'>): string {
  return `the line ${key} of the batch ${batch} goes to the same recipient`;
}

/**
 * Blocks lines whose recipient got the same amount in another batch after the check, and returns the numbers of all of them. If two batches
 * send at the same moment, each has marked its lines before it looks: one of them sees the other, or both do, and neither pays.
 *
 * @param lines They are marked as `sending`, and no money has moved.
 */
export async function blockPaidElsewhere(
  store: BatchStore,
  place: ChunkPlace & { readonly batch: string },
  lines: readonly BatchLine[],
  policy: Pick<ResolvedBatchPolicy, 'sameRecipientWithinDays'>,
): Promise<readonly number[]> {
  if (lines.length === 0) return [];
  const same = await sameRecipients(store, place, policy);
  const changes = lines.flatMap(({ number, result: text }): LineChange[] => {
    const other = same.get(number);
    if (!other || other.batch === place.batch) return [];
    const result = resultOf(text);
    const found = sameRecipientText(other);
    if (result.word?.detail?.includes(found)) return [];
    const problems = [...new Set([...(result.problems ?? []), 'same-recipient'])];
    const detail = result.detail ? `${result.detail}, and ${found}` : found;
    return [
      { number, from: ['sending'], to: 'blocked', result: JSON.stringify({ ...result, problems, detail }) },
    ];
  });
  // Another job of the chunk may have blocked some before: they stay unpaid here, too.
  if (changes.length > 0) await store.change(place.load, changes);
  return changes.map(({ number }) => number);
}
