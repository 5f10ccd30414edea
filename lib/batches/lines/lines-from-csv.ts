import { csvRows } from '../../common/csv-rows.js';
import { PaymentsConfigError, PaymentsValidationError } from '../../errors/payments-errors.js';
import { type PayoutLine } from './payout-line.js';

const COLUMNS = ['key', 'name', 'amount', 'bank_code', 'account_number', 'phone', 'remarks'] as const;
const REQUIRED: readonly string[] = ['key', 'name', 'amount'];
const READING = {
  refused: noTable,
  noParser: () => new PaymentsConfigError('linesFromCsv() needs csv-parse: run npm install csv-parse.'),
  longestRow: 100_000,
};

/**
 * Reads the lines of a batch from a CSV file as it comes, in little memory. The first line names the columns: `key`, `name`,
 * `amount`, and `bank_code` with `account_number`, or `phone`; `remarks` if you like. Columns have commas or semicolons. The file
 * is in UTF-8. Needs `csv-parse`.
 *
 * @param source For example `createReadStream('salaries.csv')`, a whole text, or its bytes.
 * @throws PaymentsValidationError while you read, if the file is no such table.
 * @throws PaymentsConfigError while you read, if `csv-parse` is not installed.
 *
 * @example
 * ```ts
 * await batches.create('2026-11', linesFromCsv(createReadStream('salaries.csv')), { by: user.id });
 * ```
 *
 * @publicApi
 */
export function linesFromCsv(
  source: AsyncIterable<Uint8Array | string> | Uint8Array | string,
): AsyncIterable<PayoutLine> {
  return linesOf(csvRows(source, READING));
}

async function* linesOf(pieces: ReturnType<typeof csvRows>): AsyncGenerator<PayoutLine, void> {
  let columns: readonly string[] | undefined;
  let count = 0;
  for await (const rows of pieces) {
    for (const { line, cells } of rows) {
      if (columns === undefined) {
        columns = columnsOf(cells);
        continue;
      }
      count += 1;
      const fields = columns.map((column, index) => [column, cells[index]]);
      yield { ...(Object.fromEntries(fields) as PayoutLine), line };
    }
  }
  if (count > 0) return;
  throw noTable('the file has no rows: write one line for each payout below the names of the columns');
}

/** Repeats no unknown name: a file without a head begins with somebody's account. */
function columnsOf(names: readonly string[]): string[] {
  const columns = names.map((name) => name.trim().toLowerCase());
  const isColumn = (name: string): boolean => COLUMNS.some((column) => column === name);
  const problems = [
    columns.every(isColumn) ? [] : ['it names others'],
    COLUMNS.filter((name) => columns.indexOf(name) !== columns.lastIndexOf(name)).map(
      (name) => `it names '${name}' twice`,
    ),
    REQUIRED.filter((name) => !columns.includes(name)).map((name) => `'${name}' is missing`),
  ].flat();
  if (problems.length === 0) return columns;
  throw noTable(`the first line must name the columns ${COLUMNS.join(', ')}: ${problems.join(', ')}`);
}

function noTable(problem: string): PaymentsValidationError {
  return new PaymentsValidationError({ file: [problem] });
}
