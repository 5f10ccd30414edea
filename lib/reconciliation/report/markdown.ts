import { type CloseToReport } from './close-to-report.js';
import { factsOf, gravestFirst, openText } from './exception-facts.js';
import { type FigureTable, figuresOf, NUMBERS, titleOf } from './figures.js';
import { clocksOf } from './wording.js';

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/** A close as a Markdown document. */
export function markdown({ summary, exceptions }: CloseToReport): string {
  const at = clocksOf(summary.timeZone);
  const { title, about } = titleOf(summary, at);
  const blocks = [
    `# ${escaped(title)}`,
    escaped(about.join(' ')),
    ...figuresOf(summary, at).flatMap(figureBlocks),
    '## Exceptions',
    escaped(openText(exceptions)),
  ];
  for (const exception of gravestFirst(exceptions)) {
    const facts = factsOf(exception, at);
    blocks.push(
      `### ${escaped(facts.title)}`,
      facts.facts.map(([label, text]) => `- ${label}: ${escaped(text)}`).join('\n'),
    );
  }
  return `${blocks.join('\n\n')}\n`;
}

function figureBlocks({ title, head, rows, notes }: FigureTable): readonly string[] {
  const shown = rows.map((row, index) =>
    tableRow(row.map((cell) => cellOf(cell, index === rows.length - 1))),
  );
  const rule = tableRow(head.map((name) => (NUMBERS.includes(name) ? '---:' : '---')));
  const table = rows.length === 0 ? [] : [[tableRow(head), rule, ...shown].join('\n')];
  return [`## ${escaped(title)}`, ...table, ...notes.map(escaped)];
}

function cellOf(text: string, isSum: boolean): string {
  return isSum && text !== '' ? `**${escaped(text)}**` : escaped(text);
}

function tableRow(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}

/** A text that is shown as it is: as no markup, no HTML, and no link. */
function escaped(text: string): string {
  return text
    .replace(/[&<>]/g, (character) => ENTITIES[character] ?? '')
    .replace(/[\\`*_[\]|~$#]/g, '\\$&')
    .replace(/:(?=\/\/)/g, '\\:')
    .replace(/(?<=www)\./gi, '\\.');
}
