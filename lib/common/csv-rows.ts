import type * as CsvParse from 'csv-parse';
import { Readable } from 'node:stream';

/** What a CSV file comes from: for example `createReadStream(file)`, a whole text, or its bytes. */
export type CsvSource = AsyncIterable<Uint8Array | string> | Uint8Array | string;

/** A row of a CSV file that is not empty. */
export interface CsvRow {
  /** The line of the file in which the row ends. */
  readonly line: number;
  /** As many as the first row has. */
  readonly cells: readonly string[];
}

/** How to read a CSV file. */
export interface CsvReading {
  /** The error for a file that is no table. The problem is for people, and repeats no cell. */
  readonly refused: (problem: string) => Error;
  /** The error if `csv-parse` is not installed. */
  readonly noParser: () => Error;
  /** The longest row in bytes: a cell that is never closed must not fill the memory. */
  readonly longestRow: number;
}

/** What other programs write between cells. */
const OTHER_SEPARATORS: Readonly<Record<string, string>> = { '\t': 'tabs', '|': 'bars' };
/** The first line of a file that is no table, or has no end, must not fill the memory. */
const LONGEST_HEAD = 10_000;
/** The parser's codes for a mark that neither begins nor ends a cell. */
const MISPLACED_QUOTES: readonly string[] = [
  'INVALID_OPENING_QUOTE',
  'CSV_INVALID_CLOSING_QUOTE',
  'CSV_NON_TRIMABLE_CHAR_AFTER_CLOSING_QUOTE',
];
const NOT_UTF8 = 'the file is not in UTF-8: save it as "CSV UTF-8"';
/** So many bytes are parsed at once. */
const PIECE = 16_384;

/**
 * Reads the rows of a CSV file as it comes, the names of the columns too, in little memory: each list has the rows that one piece of
 * the file completes. The file is in UTF-8, and has commas or semicolons between cells. Closes a stream, however reading ends.
 *
 * @throws The error of `reading.refused`, or of `reading.noParser`, or what the source threw, while you read.
 */
export function csvRows(source: CsvSource, reading: CsvReading): AsyncGenerator<readonly CsvRow[], void> {
  keepErrors(source);
  return readRows(source, reading);
}

/** Leaves the error of a stream, such as a missing file, to its later reader. Without this, it ends the process. */
export function keepErrors(source: CsvSource): void {
  if (source instanceof Readable) source.on('error', () => undefined);
}

/** Closes a stream that nobody reads any more. */
export function closeSource(source: CsvSource): void {
  if (source instanceof Readable) source.destroy();
}

async function* readRows(source: CsvSource, reading: CsvReading): AsyncGenerator<readonly CsvRow[], void> {
  try {
    yield* rowsOf(source, reading);
  } finally {
    // A reader that stops leaves no open file behind.
    closeSource(source);
  }
}

async function* rowsOf(source: CsvSource, reading: CsvReading): AsyncGenerator<readonly CsvRow[], void> {
  const { refused, longestRow } = reading;
  const { parse, CsvError } = await csvParser(reading);
  const { delimiter, all } = await withDelimiter(checkedBytes(source, refused), refused);
  let rows: CsvRow[] = [];
  /** The line of the file with which the next row begins. */
  let next = 1;
  let width = 0;
  const parser = parse({
    bom: true,
    delimiter,
    max_record_size: longestRow,
    // Those of the first line would not end the lines that another program has added.
    record_delimiter: ['\r\n', '\n', '\r'],
    // Kept here, because the parser would drop rows that nobody has taken when it finds a wrong one.
    on_record: (cells: string[], { lines }): undefined => {
      next = lines + 1;
      width = cells.length;
      rows.push({ line: lines, cells });
    },
    skip_empty_lines: true,
    skip_records_with_empty_values: true,
    trim: true,
  });
  // Each write tells its error.
  parser.on('error', () => undefined).resume();
  const readBy = async (write: (done: (error?: Error | null) => void) => void): Promise<CsvRow[]> => {
    const error = await new Promise<Error | null | undefined>(write);
    const read = rows;
    rows = [];
    if (!error) return read;
    // A reader gets the error after it has taken all rows before it.
    wrong = error instanceof CsvError ? refused(problemOf(error, { next, width, longestRow })) : error;
    return read;
  };
  let wrong: Error | undefined;
  for await (const piece of all) {
    yield await readBy((done) => parser.write(piece, done));
    if (wrong) throw wrong;
  }
  yield await readBy((done) => parser.end(done));
  if (wrong) throw wrong;
}

async function csvParser({ noParser }: CsvReading): Promise<typeof CsvParse> {
  try {
    return await import('csv-parse');
  } catch {
    throw noParser();
  }
}

/** The bytes of a file in pieces. Of a large piece, the parser would keep all rows in memory. */
async function* checkedBytes(
  source: CsvSource,
  refused: CsvReading['refused'],
): AsyncGenerator<Uint8Array, void> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const check = (bytes?: Uint8Array): void => {
    try {
      decoder.decode(bytes, { stream: bytes !== undefined });
    } catch {
      throw refused(NOT_UTF8);
    }
  };
  for await (const chunk of isPiece(source) ? [source] : source) {
    if (!isPiece(chunk)) {
      throw refused('the source has to give bytes or texts: write for example createReadStream(file)');
    }
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
    for (let at = 0; at < bytes.length; at += PIECE) {
      const piece = bytes.subarray(at, at + PIECE);
      check(piece);
      // UTF-16 without its mark is valid UTF-8.
      if (piece.includes(0)) throw refused(NOT_UTF8);
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
  refused: CsvReading['refused'],
): Promise<{ delimiter: ',' | ';'; all: AsyncGenerator<Uint8Array, void> }> {
  const begin: Uint8Array[] = [];
  const decoder = new TextDecoder();
  let head = '';
  while (!/[\r\n]/.test(head.trimStart()) && head.length < LONGEST_HEAD) {
    const { done, value } = await pieces.next();
    if (done) break;
    begin.push(value);
    head += decoder.decode(value, { stream: true });
  }
  const all = (async function* () {
    try {
      yield* begin;
      yield* pieces;
    } finally {
      // A reader that stops in the first pieces closes the file, too.
      await pieces.return();
    }
  })();
  try {
    return { delimiter: delimiterOf(head.trimStart().split(/[\r\n]/, 1)[0] ?? '', refused), all };
  } catch (error) {
    // Closes the file, which nobody reads further.
    await pieces.return();
    throw error;
  }
}

function delimiterOf(head: string, refused: CsvReading['refused']): ',' | ';' {
  if (head.includes(';')) return ';';
  const other = Object.keys(OTHER_SEPARATORS).find((separator) => head.includes(separator));
  if (head.includes(',') || other === undefined) return ',';
  throw refused(
    `the columns have ${OTHER_SEPARATORS[other]} between them: save the file with commas or semicolons`,
  );
}

/** The parser's own messages repeat cells. */
function problemOf(
  { code, lines, record }: CsvParse.CsvError,
  { next, width, longestRow }: { readonly next: number; readonly width: number; readonly longestRow: number },
): string {
  // Everything behind the mark became one cell, so the place of the error is the end of the file.
  if (code === 'CSV_QUOTE_NOT_CLOSED') return `line ${next} or below: a quotation mark is never closed`;
  if (code === 'CSV_MAX_RECORD_SIZE') {
    return `line ${next} or below: a quotation mark is never closed, or a row is longer than ${longestRow} bytes`;
  }
  const where = typeof lines === 'number' ? `line ${lines}: ` : '';
  if (code.startsWith('CSV_RECORD_INCONSISTENT')) {
    const isShort = Array.isArray(record) && record.length < width;
    return (
      `${where}it has another number of cells than the first line: ` +
      (isShort
        ? 'get the whole file if it is cut off here, or write a cell with a line break in quotation marks'
        : 'write a cell with a separator in quotation marks')
    );
  }
  if (MISPLACED_QUOTES.includes(code)) {
    return `${where}a quotation mark is in the middle of a cell: write it twice, and the whole cell in quotation marks`;
  }
  return `${where}it cannot be read as a table (${code})`;
}
