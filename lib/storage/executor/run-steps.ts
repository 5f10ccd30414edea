import { PaymentsStorageError } from '../../errors/payments-errors.js';
import { type SqlResult, type SqlRow, type SqlScript, statementsOf } from '../sql/sql-database.js';
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
        : await queried(runner, text, values),
    );
  }
}

async function queried(runner: SqlRunner, text: string, values: readonly unknown[]): Promise<SqlResult> {
  const rows = await runner.query<Record<string, Column>>(text, values);
  return { rows: rows.map(asText), rowCount: rows.length };
}

/** What drivers make of the columns of the package. */
type Column = string | number | bigint | Uint8Array | null;

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
    "The database's driver gives an object in a column of text or bytes: take out the type parser (typeCast) that makes it, or have it " +
      'leave the columns of payments_… as they are.',
  );
}
