import type * as CsvParse from 'csv-parse';
import { Readable } from 'node:stream';
import { PaymentsConfigError, PaymentsValidationError } from '../../errors/payments-errors.js';
import { type PayoutLine } from './payout-line.js';

const COLUMNS = ['key', 'name', 'amount', 'bank_code', 'account_number', 'phone', 'remarks'] as const;
const REQUIRED: readonly string[] = ['key', 'name', 'amount'];
/** A row as the parser gives it. */
interface CsvRow {
  readonly info: { readonly lines: number };
  readonly record: PayoutLine;
}

/** What other programs write between cells. */
const OTHER_SEPARATORS: Readonly<Record<string, string>> = { '\t': 'tabs', '|': 'bars' };
/** The first line of a file that is no table, or has no end, must not fill the memory. */
const LONGEST_HEAD = 10_000;
/** A cell that is never closed, too. */
const LONGEST_ROW = 100_000;

/** A line of a file, with its place there. */
type CsvLine = PayoutLine & {
  /** The number of its last line in the file, as an editor shows it. */
  readonly line: number;
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
export async function* linesFromCsv(
  source: AsyncIterable<Uint8Array | string> | Uint8Array | string,
): AsyncIterable<CsvLine> {
  const { parse } = await csvParser();
  const texts = textsOf(typeof source === 'string' || source instanceof Uint8Array ? [source] : source);
  const { head, all } = await withHead(texts);
  const rows = Readable.from(all).compose(
    parse({
      bom: true,
      columns: (names: string[]) => columnsOf(names),
      delimiter: delimiterOf(head),
      info: true,
      max_record_size: LONGEST_ROW,
      skip_empty_lines: true,
      skip_records_with_empty_values: true,
      trim: true,
    }),
  ) as AsyncIterable<unknown> as AsyncIterable<CsvRow>;
  let count = 0;
  try {
    for await (const { info, record } of rows) {
      count += 1;
      yield { ...record, line: info.lines };
    }
  } catch (error) {
    throw readable(error);
  } finally {
    // Whoever stops reading leaves no open file behind.
    if (source instanceof Readable) source.destroy();
  }
  if (count === 0)
    throw noTable('the file has no rows: write one line for each payout below the names of the columns');
}

async function csvParser(): Promise<typeof CsvParse> {
  try {
    return await import('csv-parse');
  } catch {
    throw new PaymentsConfigError('linesFromCsv() needs csv-parse: run npm install csv-parse.');
  }
}

async function* textsOf(
  chunks: AsyncIterable<Uint8Array | string> | Iterable<Uint8Array | string>,
): AsyncGenerator<string, void> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  try {
    for await (const chunk of chunks) {
      yield typeof chunk === 'string' ? chunk : decoder.decode(chunk, { stream: true });
    }
    yield decoder.decode();
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw noTable('the file is not in UTF-8: save it as "CSV UTF-8"');
  }
}

/** Reads the first line, which shows the separator, and gives the texts again from the beginning. */
async function withHead(
  texts: AsyncGenerator<string, void>,
): Promise<{ head: string; all: AsyncIterable<string> }> {
  let begin = '';
  while (!/[\r\n]/.test(begin) && begin.length < LONGEST_HEAD) {
    const { done, value } = await texts.next();
    if (done) break;
    begin += value;
  }
  const all = (async function* () {
    yield begin;
    yield* texts;
  })();
  return { head: begin.split(/[\r\n]/, 1)[0] ?? '', all };
}

function delimiterOf(head: string): ',' | ';' {
  if (head.includes(';')) return ';';
  const other = Object.keys(OTHER_SEPARATORS).find((separator) => head.includes(separator));
  if (head.includes(',') || other === undefined) return ',';
  throw noTable(
    `the columns have ${OTHER_SEPARATORS[other]} between them: save the file with commas or semicolons`,
  );
}

function columnsOf(names: readonly string[]): string[] {
  const columns = names.map((name) => name.trim().toLowerCase());
  const isColumn = (name: string): boolean => COLUMNS.some((column) => column === name);
  const problems = [
    columns.every(isColumn) ? [] : ['it names others'],
    columns
      .filter((name, index) => columns.indexOf(name) !== index)
      .map((name) => `it names '${name}' twice`),
    REQUIRED.filter((name) => !columns.includes(name)).map((name) => `'${name}' is missing`),
  ].flat();
  if (problems.length === 0) return columns;
  throw noTable(`the first line must name the columns ${COLUMNS.join(', ')}: ${problems.join(', ')}`);
}

/** Messages of the parser may repeat cells. */
function readable(error: unknown): unknown {
  const { code, lines } = error as { readonly code?: unknown; readonly lines?: unknown };
  if (typeof code !== 'string' || !code.startsWith('CSV_')) return error;
  const where = typeof lines === 'number' ? `line ${lines}: ` : '';
  if (code === 'CSV_QUOTE_NOT_CLOSED' || code === 'CSV_MAX_RECORD_SIZE') {
    return noTable(`${where}a quotation mark is never closed`);
  }
  if (code.startsWith('CSV_RECORD_INCONSISTENT')) {
    return noTable(`${where}it has another number of cells than the first line`);
  }
  return noTable(`${where}it cannot be read as a table (${code})`);
}

function noTable(problem: string): PaymentsValidationError {
  return new PaymentsValidationError({ file: [problem] });
}
