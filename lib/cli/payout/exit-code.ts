import { type BatchProgress } from '../../batches/index.js';

/** Exit codes of `payout`; 2 is that of a wrong command line, also of one that names no file. */
export const EXIT = {
  fine: 0,
  /** The lines, the check, the configuration or the order of the steps. */
  problem: 1,
  unknown: 3,
  stopped: 4,
  /** Refused, failed, left out as blocked, never looked up, or never sent. */
  notPaid: 5,
} as const;

/**
 * The exit code of a step that says where a batch is. Unknown lines come first: a script that reads only the exit code must
 * not overlook money that may have moved.
 */
export function exitCodeOf(progress: BatchProgress): number {
  const { state, byState, total } = progress;
  if (unknownLines(progress) > 0) return EXIT.unknown;
  if (state !== 'ended') return EXIT.stopped;
  const { accepted, paid } = byState;
  const made = (accepted?.lines ?? 0) + (paid?.lines ?? 0);
  return made === total.lines ? EXIT.fine : EXIT.notPaid;
}

/** How many lines have no outcome that is known. Nobody goes on with a line that was being sent when its batch was over. */
export function unknownLines({ state, byState: { unknown, sending } }: BatchProgress): number {
  const isOver = state === 'ended' || state === 'cancelled';
  return (unknown?.lines ?? 0) + (isOver ? (sending?.lines ?? 0) : 0);
}
