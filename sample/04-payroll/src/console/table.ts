/** Aligns columns. The named ones are right-aligned, for amounts. */
export function table(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  toTheRight: readonly string[] = [],
): readonly string[] {
  const widths = head.map((title, column) =>
    Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)),
  );
  return [head, ...rows].map((row) =>
    row
      .map((cell, column) =>
        toTheRight.includes(head[column] ?? '')
          ? cell.padStart(widths[column] ?? 0)
          : cell.padEnd(widths[column] ?? 0),
      )
      .join('  ')
      .trimEnd(),
  );
}
