import { closeSource, csvRows, keepErrors } from '../../common/csv-rows.js';
import { PaymentsConfigError } from '../../errors/payments-errors.js';
import { columnsProblem, findColumns } from './statement-columns.js';
import {
  type CsvStatementOptions,
  type ResolvedStatementOptions,
  resolveStatementOptions,
} from './statement-options.js';
import { EMPTY_FILE, rowReader, type RowReader, statementReading } from './row-reader.js';
import { type Statement, type StatementRow } from './statement-row.js';
import { wrongStatement } from './wrong-statement.js';

/**
 * A statement in a CSV file, which is read as it comes, in little memory whatever its size. The first line names the columns.
 * Without further options it reads what the emulator writes. A row that cannot be read for certain ends reading with one sentence:
 * nothing is guessed. Needs `csv-parse`.
 *
 * @throws PaymentsConfigError if an option is wrong, and while you read, if `csv-parse` is not installed. While you read, also what
 * the stream throws, for example that there is no such file.
 *
 * @example
 * ```ts
 * const statement = csvStatement({
 *   stream: createReadStream('2026-11.csv'),
 *   columns: { reference: 'Ref', amount: 'Amt', at: 'Date', kind: 'Type' },
 *   kinds: { Deposit: 'collection', Withdrawal: 'payout' },
 *   timeZone: 'Africa/Dar_es_Salaam',
 *   thousands: ',',
 * });
 * ```
 *
 * @publicApi
 */
export function csvStatement(options: CsvStatementOptions): Statement {
  const resolved = resolveStatementOptions(options);
  keepErrors(resolved.stream);
  let isRead = false;
  return {
    name: resolved.name,
    rows: () => {
      if (isRead) {
        throw new PaymentsConfigError(
          'The rows of a statement are read once: call csvStatement() again with a new stream.',
        );
      }
      isRead = true;
      return statementRows(resolved);
    },
    discard: () => {
      isRead = true;
      closeSource(resolved.stream);
    },
  };
}

async function* statementRows(options: ResolvedStatementOptions): AsyncGenerator<StatementRow, void> {
  let read: RowReader | undefined;
  for await (const rows of csvRows(options.stream, statementReading(options))) {
    for (const row of rows) {
      if (read === undefined) {
        const found = findColumns(row.cells, options.columns, !options.signed);
        const problem = columnsProblem(row.cells, found);
        if (problem !== undefined) throw wrongStatement(problem);
        read = rowReader(found, options);
        continue;
      }
      const result = read(row);
      if (result) yield result;
    }
  }
  if (read === undefined) throw wrongStatement(EMPTY_FILE);
}
