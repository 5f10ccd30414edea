import { isPaymentsError, PaymentsStorageError } from '../../errors/payments-errors.js';
import { errorCodes } from './error-code.js';

/** The codes of a database under the names that drivers give them. */
type DriverCodes = Readonly<Record<string, string | number>>;

/**
 * Codes after which a transaction cannot continue, but can be run again. An ORM may give them under another name.
 *
 * PostgreSQL: a serialization failure, a deadlock, and a lock that was not free in time. MySQL: a deadlock, a lock
 * that was not free in time, and a row that changed since the transaction began.
 */
export const CONCURRENT: ReadonlyMap<string, DriverCodes> = new Map<string, DriverCodes>([
  ['40001', { code: '40001' }],
  ['40P01', { code: '40P01' }],
  ['55P03', { code: '55P03' }],
  ['1213', { code: 'ER_LOCK_DEADLOCK', errno: 1213, sqlState: '40001' }],
  ['1205', { code: 'ER_LOCK_WAIT_TIMEOUT', errno: 1205, sqlState: 'HY000' }],
  ['1020', { code: 'ER_CHECKREAD', errno: 1020, sqlState: 'HY000' }],
]);

/**
 * Undefined unless a transaction at the same time is the reason of the error.
 *
 * @returns An error whose `cause` has the codes of the database alone: its texts repeat stored data.
 */
export function runAgainError(error: unknown): PaymentsStorageError | undefined {
  if (isPaymentsError(error)) return undefined;
  const codes = errorCodes(error)
    .map((code) => CONCURRENT.get(code))
    .find((known) => known !== undefined);
  return codes && transactionHindered(codes);
}

/** @param codes Under the names of the driver. */
export function transactionHindered(codes: DriverCodes): PaymentsStorageError {
  const named = Object.values(codes).join(', ');
  const cause = Object.assign(new Error(`The database gave the code ${named}.`), codes);
  return new PaymentsStorageError(
    `The transaction could not continue because of another one at the same time (${named}): roll it back, and run the whole transaction again.`,
    { cause },
  );
}
