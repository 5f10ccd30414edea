import { openSync, readFileSync, writeSync } from 'node:fs';

/** What happened, and to whom. */
export type Happening =
  /** The handlers may run: `since` is when the storage was asked. */
  | { readonly what: 'claimed'; readonly reference: string; readonly since: number; readonly attempt: number }
  /** The storage says that the event was handled before. */
  | { readonly what: 'known'; readonly reference: string }
  /** The handler that makes the effect has made it; where the storage has transactions it does not stand yet. */
  | { readonly what: 'effect'; readonly reference: string; readonly attempt: number }
  /** From here on others may claim. */
  | { readonly what: 'ending'; readonly reference: string; readonly how: 'finish' | 'fail' }
  | ({ readonly what: 'marked' } & Told)
  | ({ readonly what: 'finished' } & Told)
  | { readonly what: 'killed'; readonly point: string; readonly reference?: string }
  | { readonly what: 'storage down' }
  | { readonly what: 'storage up' }
  /** All deliveries of an event were answered 200. */
  | { readonly what: 'answered'; readonly reference: string }
  | { readonly what: 'given up'; readonly reference: string };

/** What the storage said to a mark or a finish; `error`: nobody knows. */
interface Told {
  readonly reference: string;
  readonly attempt: number;
  readonly said: boolean | 'error';
}

export type Line = Happening & {
  /** Milliseconds by a clock that all processes of this machine share. */
  readonly at: number;
  /** One run of a process, from its start to its death. */
  readonly life: string;
};

/** Writes what happens to a file that outlives its writers. */
export class History {
  private readonly file: number;

  constructor(
    path: string,
    private readonly life: string,
  ) {
    this.file = openSync(path, 'a');
  }

  /** Returns only once the line is out of the reach of a SIGKILL. */
  add(happening: Happening, life = this.life): void {
    const line: Line = { at: now(), life, ...happening };
    writeSync(this.file, `${JSON.stringify(line)}\n`);
  }
}

export function readHistory(path: string): Line[] {
  const lines = readFileSync(path, 'utf8').trimEnd().split('\n');
  return lines.map((line) => JSON.parse(line) as Line).sort((one, other) => one.at - other.at);
}

export function now(): number {
  return Number(process.hrtime.bigint() / 1_000n) / 1_000;
}
