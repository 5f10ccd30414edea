/** A spreadsheet takes a cell that begins so for a formula. */
const FORMULA = /^[=+\-@\t\r\n\uFF1D\uFF0B\uFF0D\uFF20]/;

/** A cell: a text from outside, or a number, which may be written out because it has too many digits for a `number`. */
export type CsvCell = string | number | { readonly number: string };

/**
 * A line of a CSV file. A text that a spreadsheet would take for a formula gets an apostrophe in front, as a person would write
 * it there; numbers do not.
 */
export function csvRow(cells: readonly CsvCell[]): string {
  return `${cells.map(csvCell).join(',')}\n`;
}

function csvCell(cell: CsvCell): string {
  if (typeof cell === 'object') return cell.number;
  const text = typeof cell === 'string' && FORMULA.test(cell) ? `'${cell}` : String(cell);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Takes back the apostrophe that `csvRow` puts in front. */
export function plainCell(cell: string): string {
  return cell.startsWith("'") && FORMULA.test(cell.slice(1)) ? cell.slice(1) : cell;
}
