import { PaymentsStorageError } from '../../errors/payments-errors.js';
import { inTime } from '../../common/timing.js';

/** Time limit for a connection of the pool, and for the answer to each statement. */
const WITHIN_MS = 4_000;

/** Rejects with a `PaymentsStorageError` if the answer takes too long. */
export function answered<T>(work: Promise<T>, what: string): Promise<T> {
  const late = (): Error => new PaymentsStorageError(`Waited ${WITHIN_MS} ms in vain for ${what}.`);
  return inTime(work, performance.now() + WITHIN_MS, late);
}
