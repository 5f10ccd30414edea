import { printable } from './printable.js';

/** Lines with aligned columns. The named ones are aligned to the right, for numbers. */
export function tableLines(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  toTheRight: readonly string[],
): readonly string[] {
  const cells = [head, ...rows.map((row) => row.map(printable))];
  const widths = head.map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)));
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
