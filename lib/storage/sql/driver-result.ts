import { PaymentsStorageError } from '../../errors/payments-errors.js';
import { type SqlResult, type SqlRow } from './sql-database.js';
import { type SqlDialect, type SqlRunner } from './sql-executor.js';

/** What a driver answers to a statement. */
export interface DriverResult {
  readonly rows: unknown[];
  readonly affectedRows: number;
}

interface PostgresAnswer {
  readonly rows: unknown[];
  readonly rowCount: number | null;
}

/** The result, and the descriptions of its columns. */
type MysqlAnswer = readonly [unknown[] | { readonly affectedRows: number }, ...unknown[]];

/** Reads the answers of `pg` and `mysql2`. */
export const DRIVER_RESULT_OF: Readonly<Record<SqlDialect, (answer: never) => DriverResult>> = {
  postgres: ({ rows, rowCount }: PostgresAnswer) => ({ rows, affectedRows: rowCount ?? 0 }),
  mysql: ([result]: MysqlAnswer) =>
    Array.isArray(result)
      ? { rows: result, affectedRows: 0 }
      : { rows: [], affectedRows: result.affectedRows },
};

/** A statement of `mysql2` that is answered as the package reads it, whatever the application's pool makes of rows and values. */
export function mysql2Statement(sql: string) {
  return {
    sql,
    rowsAsArray: false,
    nestTables: false,
    // mysql2 ignores `typeCast: true` if the pool has a function.
    typeCast: (_field: unknown, next: () => unknown): unknown => next(),
  };
}

/** Gives one function that sends statements as a runner. */
export function runnerBy(
  run: (text: string, params?: readonly unknown[]) => Promise<DriverResult>,
): SqlRunner {
  return {
    query: async <Row extends object>(text: string, params?: readonly unknown[]) =>
      (await run(text, params)).rows as Row[],
    execute: async (text, params) => ({ affectedRows: (await run(text, params)).affectedRows }),
  };
}

/** What drivers make of the columns of the package. */
type Column = string | number | bigint | Uint8Array | null;

/** The rows of a driver as the package reads them. */
export function textResult(rows: readonly unknown[]): SqlResult {
  return { rows: (rows as readonly Readonly<Record<string, Column>>[]).map(asText), rowCount: rows.length };
}

/** Drivers and applications differ in how they read numbers and bytes. */
function asText(row: Readonly<Record<string, Column>>): SqlRow {
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => [name, value === null ? null : textOf(value)]),
  );
}

function textOf(value: Exclude<Column, null>): string {
  if (typeof value !== 'object') return String(value);
  if (ArrayBuffer.isView(value)) return Buffer.from(value).toString();
  throw new PaymentsStorageError(
    "The database's driver gives an object in a column of text or bytes: take out the type parser (typeCast) that makes it, or give the " +
      'package a pool or a data source of its own without one.',
  );
}
