import { performance } from 'node:perf_hooks';
import { PaymentsStorageError } from '../../errors/payments-errors.js';
import { withTimeout } from '../../common/timing.js';

/** Time limit for a connection of the pool or for becoming the one writer of SQLite, and for the answer to each statement. */
export const WITHIN_MS = 4_000;

/** What an operation waits for first. */
export const FREE_CONNECTION = 'a free connection of the pool';

/** Rejects with a `PaymentsStorageError` if the answer takes too long. */
export function timeLimited<T>(work: Promise<T>, what: string): Promise<T> {
  return withTimeout(work, performance.now() + WITHIN_MS, () => tooLate(what));
}

/** The error after the time limit. */
export function tooLate(what: string): PaymentsStorageError {
  return new PaymentsStorageError(`Timed out after ${WITHIN_MS} ms waiting for ${what}.`);
}
