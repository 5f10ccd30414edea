import { type CloseException } from '../../reconciliation/index.js';

/** Exit codes of `reconcile`; 2 is that of a wrong command line. */
export const EXIT = {
  /** Nothing is open. */
  fine: 0,
  /** The statement, the configuration or the order of the days; or a proposal was refused. */
  problem: 1,
  /** Somebody has to look at exceptions. */
  open: 3,
} as const;

/** What a script has to know of exceptions. */
export function exitCodeOf(exceptions: readonly Pick<CloseException, 'state'>[]): number {
  return exceptions.some(({ state }) => state === 'open') ? EXIT.open : EXIT.fine;
}
