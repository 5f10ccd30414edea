import { printable } from './printable.js';

/** Lines with aligned columns. The named ones are aligned to the right, for numbers. */
export function tableLines(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  toTheRight: readonly string[],
): readonly string[] {
  const cells = [head, ...rows.map((row) => row.map(printable))];
  // Math.max() takes an argument for each cell, and a call with 120,000 of them overflows the stack.
  const widths = head.map((_, column) =>
    cells.reduce((widest, row) => Math.max(widest, row[column]?.length ?? 0), 0),
  );
  return cells.map((row) =>
    row
      .map((cell, column) => {
        const width = widths[column] ?? 0;
        return toTheRight.includes(head[column] ?? '') ? cell.padStart(width) : cell.padEnd(width);
      })
      .join('  ')
      .trimEnd(),
  );
}
