import type * as CsvParse from 'csv-parse';
import { pipeline, Readable } from 'node:stream';
import { PaymentsConfigError, PaymentsValidationError } from '../../errors/payments-errors.js';
import { type PayoutLine } from './payout-line.js';

const COLUMNS = ['key', 'name', 'amount', 'bank_code', 'account_number', 'phone', 'remarks'] as const;
const REQUIRED: readonly string[] = ['key', 'name', 'amount'];
/** What other programs write between cells. */
const OTHER_SEPARATORS: Readonly<Record<string, string>> = { '\t': 'tabs', '|': 'bars' };
/** The first line of a file that is no table, or has no end, must not fill the memory. */
const LONGEST_HEAD = 10_000;
/** A cell that is never closed, too. */
const LONGEST_ROW = 100_000;

/** The parser's codes for a mark that neither begins nor ends a cell. */
const MISPLACED_QUOTES: readonly string[] = [
  'INVALID_OPENING_QUOTE',
  'CSV_INVALID_CLOSING_QUOTE',
  'CSV_NON_TRIMABLE_CHAR_AFTER_CLOSING_QUOTE',
];
const NOT_UTF8 = 'the file is not in UTF-8: save it as "CSV UTF-8"';
/** So many bytes are parsed at once. */
const PIECE = 65_536;

type CsvSource = AsyncIterable<Uint8Array | string> | Uint8Array | string;

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
): AsyncIterable<PayoutLine> {
  try {
    yield* rowsOf(source);
  } finally {
    // Whoever stops reading leaves no open file behind.
    if (source instanceof Readable) source.destroy();
  }
}

async function* rowsOf(source: CsvSource): AsyncGenerator<PayoutLine, void> {
  const { parse, CsvError } = await csvParser();
  const { delimiter, all } = await withDelimiter(checkedBytes(source));
  let count = 0;
  /** The line of the file with which the next row begins. */
  let next = 1;
  const rows = parse({
    bom: true,
    columns: (names: string[]) => columnsOf(names),
    delimiter,
    max_record_size: LONGEST_ROW,
    on_record: (record: PayoutLine, { lines }): PayoutLine => {
      count += 1;
      next = lines + 1;
      return { ...record, line: lines };
    },
    skip_empty_lines: true,
    skip_records_with_empty_values: true,
    trim: true,
  });
  // The rows reject with what the source threw.
  pipeline(all, rows, () => undefined);
  try {
    yield* rows as AsyncIterable<PayoutLine>;
  } catch (error) {
    throw error instanceof CsvError ? noTable(problemOf(error, next)) : error;
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

/** The bytes of a file in pieces. Of a large piece, the parser would keep all rows in memory. */
async function* checkedBytes(source: CsvSource): AsyncGenerator<Uint8Array, void> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const check = (bytes?: Uint8Array): void => {
    try {
      decoder.decode(bytes, { stream: bytes !== undefined });
    } catch {
      throw noTable(NOT_UTF8);
    }
  };
  for await (const chunk of isPiece(source) ? [source] : source) {
    if (!isPiece(chunk))
      throw noTable('the source has to give bytes or texts: write for example createReadStream(file)');
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
    for (let at = 0; at < bytes.length; at += PIECE) {
      const piece = bytes.subarray(at, at + PIECE);
      check(piece);
      yield piece;
    }
  }
  check();
}

/** Unlike `instanceof`, takes bytes from outside of a sandbox of Jest, too. */
function isPiece(value: unknown): value is Uint8Array | string {
  return typeof value === 'string' || ArrayBuffer.isView(value);
}

/** Reads the first line, which shows the separator, and gives all bytes from the beginning. */
async function withDelimiter(
  pieces: AsyncGenerator<Uint8Array, void>,
): Promise<{ delimiter: ',' | ';'; all: AsyncGenerator<Uint8Array, void> }> {
  const begin: Uint8Array[] = [];
  const decoder = new TextDecoder();
  let head = '';
  while (!/\S.*[\r\n]/.test(head) && head.length < LONGEST_HEAD) {
    const { done, value } = await pieces.next();
    if (done) break;
    begin.push(value);
    head += decoder.decode(value, { stream: true });
  }
  const all = (async function* () {
    yield* begin;
    yield* pieces;
  })();
  try {
    return { delimiter: delimiterOf(head.trimStart().split(/[\r\n]/, 1)[0] ?? ''), all };
  } catch (error) {
    // Closes the file, which nobody reads further.
    await pieces.return();
    throw error;
  }
}

function delimiterOf(head: string): ',' | ';' {
  // UTF-16 without its mark is valid UTF-8.
  if (head.includes('\0')) throw noTable(NOT_UTF8);
  if (head.includes(';')) return ';';
  const other = Object.keys(OTHER_SEPARATORS).find((separator) => head.includes(separator));
  if (head.includes(',') || other === undefined) return ',';
  throw noTable(
    `the columns have ${OTHER_SEPARATORS[other]} between them: save the file with commas or semicolons`,
  );
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

/** The parser's own messages repeat cells. */
function problemOf({ code, lines }: CsvParse.CsvError, next: number): string {
  // Everything behind the mark became one cell, so the place of the error is the end of the file.
  if (code === 'CSV_QUOTE_NOT_CLOSED' || code === 'CSV_MAX_RECORD_SIZE') {
    return `line ${next} or below: a quotation mark is never closed`;
  }
  const where = typeof lines === 'number' ? `line ${lines}: ` : '';
  if (code.startsWith('CSV_RECORD_INCONSISTENT')) {
    return `${where}it has another number of cells than the first line: write a cell with a separator in quotation marks`;
  }
  if (MISPLACED_QUOTES.includes(code)) {
    return `${where}a quotation mark is in the middle of a cell: write it twice, and the whole cell in quotation marks`;
  }
  return `${where}it cannot be read as a table (${code})`;
}

function noTable(problem: string): PaymentsValidationError {
  return new PaymentsValidationError({ file: [problem] });
}
