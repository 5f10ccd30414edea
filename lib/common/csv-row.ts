/**
 * Where a spreadsheet begins a formula. One that separates cells by semicolons or tabs begins cells within a text, too, and a
 * quotation mark there is no part of the cell.
 */
const FORMULA =
  /^(?=[=+\-@\t\r\n\uFF1D\uFF0B\uFF0D\uFF20])|(?<=[;\t\r\n])(?="*[=+\-@\uFF1D\uFF0B\uFF0D\uFF20])/g;
/** The same with the apostrophe that `csvRow` writes. */
const GUARDED =
  /^'(?=[=+\-@\t\r\n\uFF1D\uFF0B\uFF0D\uFF20])|(?<=[;\t\r\n])'(?="*[=+\-@\uFF1D\uFF0B\uFF0D\uFF20])/g;

/** A cell: a text from outside, or a number, which may be written out because it has too many digits for a `number`. */
export type CsvCell = string | number | { readonly number: string };

/**
 * A line of a CSV file. A text that a spreadsheet would take for a formula gets an apostrophe in front of it, as a person would
 * write it there; numbers do not.
 */
export function csvRow(cells: readonly CsvCell[]): string {
  return `${cells.map(csvCell).join(',')}\n`;
}

function csvCell(cell: CsvCell): string {
  if (typeof cell === 'object') return cell.number;
  const text = typeof cell === 'string' ? cell.replace(FORMULA, "'") : String(cell);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Takes back the apostrophes that `csvRow` writes. */
export function plainCell(cell: string): string {
  return cell.replace(GUARDED, '');
}

/** No name of a column is as long. Without a limit, a file with an endless first line would stop the process. */
const LONGEST_NAME = 100;

/** Whether a cell of the first line may be the name of a column: one with a digit may be an amount, a time or a phone number. */
export function isColumnName(cell: string): boolean {
  return cell.length <= LONGEST_NAME && /^\D+$/.test(cell);
}
