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
