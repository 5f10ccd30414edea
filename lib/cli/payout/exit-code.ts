import { type BatchProgress } from '../../batches/index.js';

/** Exit codes of `payout`; 2 is that of a wrong command line. */
export const EXIT = {
  fine: 0,
  /** The file, the check, the configuration or the order of the steps. */
  problem: 1,
  unknown: 3,
  stopped: 4,
  /** Refused, failed, left out as blocked, or never looked up. */
  notPaid: 5,
} as const;

/**
 * Unknown lines come first: a script that reads only the exit code must not overlook money that may have moved.
 */
export function exitCodeOf({ state, byState }: BatchProgress): number {
  if (byState.unknown || (state === 'ended' && byState.sending)) return EXIT.unknown;
  if (state !== 'ended') return EXIT.stopped;
  const { refused, failed, blocked, waiting } = byState;
  return refused || failed || blocked || waiting ? EXIT.notPaid : EXIT.fine;
}
