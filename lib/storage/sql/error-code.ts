import { isRecord } from '../../common/json-object.js';
import { failureLabel } from '../../errors/payments-errors.js';

/** Where drivers and ORMs keep the code of a database. */
const CODES = ['originalCode', 'code', 'errno', 'sqlState', 'sqlstate'] as const;
/** Where ORMs keep the error of their driver. */
const WRAPPED = ['driverError', 'cause', 'meta', 'driverAdapterError', 'original', 'parent'] as const;
/** How deep an ORM wraps an error at most. */
const DEPTH = 5;

/** All codes of an error and of what it wraps, as texts; the outermost first. */
export function errorCodes(error: unknown, depth = DEPTH): readonly string[] {
  if (!isRecord(error) || depth === 0) return [];
  const own = CODES.map((name) => error[name]).filter(
    (code) => typeof code === 'string' || typeof code === 'number',
  );
  return [...own.map(String), ...WRAPPED.flatMap((name) => errorCodes(error[name], depth - 1))];
}

/** What an error is, without its texts, which repeat stored data; with the code of the database, if an ORM wraps it. */
export function databaseFailure(error: unknown): string {
  const label = failureLabel(error);
  const code = errorCodes(error).at(-1);
  return code === undefined || label.includes(code) || !/^\w+$/.test(code) ? label : `${label}, ${code}`;
}
