import { formatCents } from '../../common/money.js';
import {
  type BatchState,
  type LineCount,
  type LineState,
  type StoredBatch,
} from '../../storage/batch-store.js';
import { detailsOf } from './batch-details.js';

/**
 * Lines and their sum.
 *
 * @publicApi
 */
export interface LineSum {
  /** Number of lines. */
  readonly lines: number;
  /** Two-decimal string in TZS. */
  readonly amount: string;
}

/**
 * How far a batch is. The sums by state add up to the batch at every moment.
 *
 * @publicApi
 */
export interface BatchProgress {
  /** Whether it is checked, approved, being paid, and so on. */
  readonly state: BatchState;
  /** All lines. */
  readonly total: LineSum;
  /** By state; states without a line are absent. */
  readonly byState: Readonly<Partial<Record<LineState, LineSum>>>;
  /** Lines that were sent since the batch was last started or resumed, per second; absent before there is one. */
  readonly linesPerSecond?: number;
  /** At that rate, in milliseconds; absent without a rate. */
  readonly leftMs?: number;
  /** Why it pauses, as a sentence; present if it does. */
  readonly pauseReason?: string;
  /** Why it is checked or paid by nobody for now, as a sentence; present if it waits for the keys of its account. */
  readonly waitReason?: string;
}

/** The states whose lines a run will still send. */
const TO_SEND: readonly LineState[] = ['checked', 'sending'];
const NOT_SENT: readonly LineState[] = ['waiting', 'blocked', ...TO_SEND];

/** How many lines have left this package. */
export function sentIn(counts: readonly LineCount[]): number {
  return linesIn(counts, (state) => !NOT_SENT.includes(state));
}

function linesIn(counts: readonly LineCount[], isWanted: (state: LineState) => boolean): number {
  return counts.reduce((sum, { state, lines }) => (isWanted(state) ? sum + lines : sum), 0);
}

export function progressOf(
  { record }: StoredBatch,
  counts: readonly LineCount[],
  now: number,
): BatchProgress {
  const { lines, cents, run, pause } = detailsOf(record);
  const sent = sentIn(counts) - (run?.sentBefore ?? 0);
  const seconds = run ? (now - run.startedAt) / 1_000 : 0;
  const linesPerSecond = record.state === 'running' && sent > 0 && seconds > 0 ? sent / seconds : undefined;
  const left = linesIn(counts, (state) => TO_SEND.includes(state));
  return {
    state: record.state,
    total: { lines, amount: formatCents(BigInt(cents)) },
    byState: Object.fromEntries(
      counts
        .filter(({ lines: some }) => some > 0)
        .map(({ state, lines: some, cents: sum }) => [state, { lines: some, amount: formatCents(sum) }]),
    ),
    ...(linesPerSecond !== undefined && { linesPerSecond, leftMs: (left / linesPerSecond) * 1_000 }),
    ...(pause && { pauseReason: pause.reason }),
  };
}
