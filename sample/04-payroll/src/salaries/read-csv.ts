import { CsvError, parse } from 'csv-parse/sync';
import { PayrollProblem } from '../payroll.problem.js';

export const COLUMNS = [
  'reference',
  'name',
  'amount',
  'bank_code',
  'account_number',
  'phone',
  'remarks',
] as const;
const REQUIRED: readonly Column[] = ['reference', 'name', 'amount'];

export type Column = (typeof COLUMNS)[number];

/** The raw cells of one row. */
export interface RawRow {
  readonly line: number;
  readonly cells: Readonly<Partial<Record<Column, string>>>;
}

/**
 * Reads the rows of a file, with commas or, like some spreadsheets, semicolons.
 *
 * @throws PayrollProblem if the file is not such a table.
 */
export function readCsv(bytes: Uint8Array): readonly RawRow[] {
  const text = utf8(bytes);
  const [head = ''] = text.split(/\r?\n/, 1);
  try {
    const records = parse(text, {
      bom: true,
      columns: (names: string[]) => columnsOf(names),
      delimiter: head.includes(';') ? ';' : ',',
      info: true,
      skip_empty_lines: true,
      skip_records_with_empty_values: true,
      trim: true,
    }) as unknown as readonly {
      readonly info: { readonly lines: number };
      readonly record: RawRow['cells'];
    }[];
    if (records.length === 0)
      throw new PayrollProblem('The file has no rows: write one line for each salary.');
    return records.map(({ info, record }) => ({ line: info.lines, cells: record }));
  } catch (error) {
    if (error instanceof CsvError) throw new PayrollProblem(`The file is no table: ${error.message}.`);
    throw error;
  }
}

function utf8(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new PayrollProblem('The file is not in UTF-8: save it as "CSV UTF-8".');
  }
}

function columnsOf(names: readonly string[]): string[] {
  const columns = names.map((name) => name.trim().toLowerCase());
  const problems = [
    ...columns.filter((name) => !isColumn(name)).map((name) => `There is no column '${name}'.`),
    ...columns
      .filter((name, index) => columns.indexOf(name) !== index)
      .map((name) => `'${name}' appears twice.`),
    ...REQUIRED.filter((name) => !columns.includes(name)).map((name) => `'${name}' is missing.`),
  ];
  if (problems.length === 0) return columns;
  throw new PayrollProblem(`The first line must name the columns: ${COLUMNS.join(', ')}.`, problems);
}

function isColumn(name: string): name is Column {
  return COLUMNS.some((column) => column === name);
}
