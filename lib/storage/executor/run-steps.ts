import { textResult } from '../sql/driver-result.js';
import { type SqlResult, type SqlScript, statementsOf } from '../sql/sql-database.js';
import { type SqlRunner } from '../sql/sql-executor.js';

/** Runs the statements of an operation, one after the other, and returns the answer to the last one. */
export async function runSteps(
  runner: SqlRunner,
  script: SqlScript,
  limited: (text: string) => string = (text) => text,
): Promise<SqlResult> {
  const statements = statementsOf(script);
  for (let next = statements.next(); ;) {
    if (next.done) return next.value;
    const { text, values = [], counts } = next.value;
    next = statements.next(
      counts
        ? { rows: [], rowCount: (await runner.execute(limited(text), values)).affectedRows }
        : textResult(await runner.query(text, values)),
    );
  }
}
