import { type SqlDialect } from './sql-executor.js';

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
