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

/** What is wrong with a server, by the codes of PostgreSQL, and of MySQL and MariaDB. */
const TROUBLES = [
  [['53100', '1021', '1114'], 'The disk or table space of the database server is full: make room on it'],
  [
    ['53300', '1040', '1203'],
    'The database takes no more connections: the pools of all processes need more than it allows',
  ],
  [
    ['57P01', '57P02', '57P03', '1053'],
    'The database server stops, starts, or was told to end the connection',
  ],
] as const;

/** Undefined if no code says that something is wrong with the server. */
export function serverTrouble(codes: readonly string[]): string | undefined {
  for (const [known, meaning] of TROUBLES) {
    const code = codes.find((each) => known.some((one) => one === each));
    if (code !== undefined) return `${meaning} (${code}).`;
  }
  return undefined;
}

/** What an error is, without its texts, which repeat stored data; with the code of the database, if an ORM wraps it. */
export function databaseFailure(error: unknown): string {
  const label = failureLabel(error);
  const code = errorCodes(error).at(-1);
  return code === undefined || label.includes(code) || !/^\w+$/.test(code) ? label : `${label}, ${code}`;
}
