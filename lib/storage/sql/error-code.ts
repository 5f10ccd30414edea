import { isRecord } from '../../common/json-object.js';
import { failureLabel } from '../../errors/payments-errors.js';

/** Where drivers and ORMs keep the code of a database. */
const CODES = ['originalCode', 'code', 'errno', 'sqlState', 'sqlstate'] as const;
/** Where ORMs keep the error of their driver. */
const WRAPPED = ['driverError', 'cause', 'meta', 'driverAdapterError', 'original', 'parent'] as const;
/** How deep an ORM wraps an error at most. */
const DEPTH = 5;

/** An error and what it wraps; the outermost first. */
export function wrappedErrors(error: unknown, depth = DEPTH): readonly Readonly<Record<string, unknown>>[] {
  if (!isRecord(error) || depth === 0) return [];
  return [error, ...WRAPPED.flatMap((name) => wrappedErrors(error[name], depth - 1))];
}

/** All codes of an error and of what it wraps, as texts; the outermost first. */
export function errorCodes(error: unknown): readonly string[] {
  return wrappedErrors(error).flatMap((each) =>
    CODES.map((name) => each[name])
      .filter((code) => typeof code === 'string' || typeof code === 'number')
      .map(String),
  );
}

/** What an error is, without its texts, which repeat stored data; with the code of the database, if an ORM wraps it. */
export function databaseFailure(error: unknown): string {
  const label = failureLabel(error);
  const code = errorCodes(error).at(-1);
  return code === undefined || label.includes(code) || !/^\w+$/.test(code) ? label : `${label}, ${code}`;
}
