import { openSync, readFileSync, writeSync } from 'node:fs';
import { type NetworkFault } from '../support/faulty-proxy.js';
import { type BatchHappening } from './batches/batch-history.js';
import { type CallHappening } from './calls/call-history.js';
import { type BrokenRequest, type Outcome } from './plan.js';

/** One outcome of one reference. */
interface About {
  readonly reference: string;
  readonly outcome: Outcome;
}

/** What happened, and to whom. */
export type Happening =
  | BatchHappening
  | CallHappening
  /** The handlers may run. */
  | ({ readonly what: 'claimed' } & Run)
  /** The storage says that the outcome was handled before. */
  | ({ readonly what: 'known' } & About)
  /** The handler has made its effect. If the storage has transactions, it is not committed yet. */
  | ({ readonly what: 'effect' } & Run)
  /** The storage is about to be asked to remember that a handler finished. */
  | ({ readonly what: 'marking'; readonly handler: string } & Run)
  | ({ readonly what: 'marked'; readonly handler: string } & Told)
  /** From here on others may claim. */
  | ({ readonly what: 'ending'; readonly how: 'finish' | 'fail' | 'withdraw' } & Run)
  | ({ readonly what: 'finished' } & Told)
  | { readonly what: 'killed'; readonly point: string; readonly reference?: string }
  | { readonly what: 'stopped'; readonly point: string; readonly reference?: string }
  | { readonly what: 'continued' }
  /** The network before a replica broke a connection to the storage: `place` is the replica's. */
  | {
      readonly what: 'network';
      readonly fault: NetworkFault;
      readonly request: BrokenRequest;
      readonly reference: string;
      readonly place: number;
    }
  | { readonly what: 'storage down' }
  | { readonly what: 'storage up' }
  /** An operator is about to release an outcome that was set aside. */
  | ({ readonly what: 'releasing' } & About)
  /** The inbox has forgotten the reference. */
  | { readonly what: 'purged'; readonly reference: string }
  /** All deliveries of a reference were answered 200. */
  | { readonly what: 'answered'; readonly reference: string }
  | { readonly what: 'given up'; readonly reference: string };

/** One run of the handlers. */
interface Run extends About {
  readonly attempt: number;
}

/** What the storage said to a mark or a finish; `error`: nobody knows. */
interface Told extends Run {
  readonly said: boolean | 'error';
}

export type Line = Happening & {
  /** Milliseconds by a clock that all processes of this machine share. */
  readonly at: number;
  /** One run of a process, from its start to its death: `<place>.<number>` for a replica. */
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

  /** Returns only once the lines are out of the reach of a SIGKILL; several lines are written together or not at all. */
  add(happenings: Happening | readonly Happening[], life = this.life): void {
    const lines = [happenings].flat().map((happening): Line => ({ at: now(), life, ...happening }));
    // A new line first, because a process that is killed while it writes leaves half a line.
    writeSync(this.file, `\n${lines.map((line) => JSON.stringify(line)).join('\n')}\n`);
  }
}

/** The complete lines, by time. A process that was killed within a line did not do what the line reports. */
export function readHistory(path: string): Line[] {
  const lines = readFileSync(path, 'utf8').split('\n');
  return lines.flatMap(readLine).sort((one, other) => one.at - other.at);
}

function readLine(text: string): Line[] {
  try {
    return text === '' ? [] : [JSON.parse(text) as Line];
  } catch {
    return [];
  }
}

export function now(): number {
  return Number(process.hrtime.bigint() / 1_000n) / 1_000;
}
