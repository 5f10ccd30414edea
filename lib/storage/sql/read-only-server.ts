import { errorCodes, wrappedErrors } from './error-code.js';

/**
 * What a standby says to a write: PostgreSQL, and MySQL in a transaction that may only read, with the SQLSTATE of both; InnoDB
 * with `innodb_read_only`.
 */
const READ_ONLY = ['25006', '1792', '1836'];
/** What MySQL says to a statement that one of its options forbids. */
const FORBIDDEN = '1290';
/** The options of a standby: `--read-only`, `--super-read-only` and `--innodb-read-only`. */
const FORBIDDEN_BY = /--(?:\w+-)*read[-_]only\b/i;

/**
 * Whether the server refused a statement because it takes no writes. After a fail-over the same address leads to another
 * server, but only new connections go there.
 */
export function isReadOnlyServer(error: unknown): boolean {
  const codes = errorCodes(error);
  if (READ_ONLY.some((code) => codes.includes(code))) return true;
  return (
    codes.includes(FORBIDDEN) &&
    wrappedErrors(error).some((each) => FORBIDDEN_BY.test(String(each['message'])))
  );
}
