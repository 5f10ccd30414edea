/** One line an application and adapter, one column a Node, and below it what the numbers mean. */
export function table(nodes, cells) {
  const notes = [...new Set(cells.map(({ note }) => note).filter(Boolean))];
  const text = ({ result, note }) => (note === undefined ? result : `${result} (${notes.indexOf(note) + 1})`);
  const titles = [...new Set(cells.map(({ title }) => title))];
  const rows = [
    ['', ...nodes.map((node) => `Node ${node}`)],
    ...titles.map((title) => [
      title,
      ...nodes.map((node) => text(cells.find((cell) => cell.title === title && cell.node === node))),
    ]),
  ];
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => row[column].length)));
  const lines = rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column]))
      .join('  ')
      .trimEnd(),
  );
  return [...lines, ...notes.map((note, index) => `(${index + 1}) ${note}`)].join('\n');
}
