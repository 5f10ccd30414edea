import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { format, resolveConfig } from 'prettier';
import { chart } from './chart.mjs';
import { machine } from './machine.mjs';
import { figureAlone, measuredMarkdown } from './markdown.mjs';

const docs = join(dirname(fileURLToPath(import.meta.url)), '..', '..', 'docs');
const DOCUMENT = join(docs, 'performance.md');
const BEGIN = '<!-- measured: begin (written by npm run bench) -->';
const END = '<!-- measured: end -->';
const BEGIN_ALONE = '<!-- measured alone: begin (written by npm run bench -- --only … --write) -->';
const END_ALONE = '<!-- measured alone: end -->';

/** Writes the measured part of docs/performance.md, and the chart beside it; what people wrote around it stays. */
export async function writeReport(figures, { rounds }) {
  const measured = measuredMarkdown(figures, { rounds, machine: machine() });
  const text = replaced(readFileSync(DOCUMENT, 'utf8'), BEGIN, END, () => measured);
  await writeDocument(replaced(text, BEGIN_ALONE, END_ALONE, () => ''));
  writeFileSync(join(docs, 'performance.svg'), chart(figures));
  console.log('Written: docs/performance.md and docs/performance.svg');
}

/** Writes figures that were measured without the others, each with its date, in place of what was measured alone before. */
export async function writeFigures(figures, { rounds }) {
  const text = replaced(readFileSync(DOCUMENT, 'utf8'), BEGIN_ALONE, END_ALONE, (before) => {
    const sections = new Map(
      before
        .split(/^(?=## )/m)
        .filter((section) => section.startsWith('## '))
        .map((section) => [Number.parseInt(section.slice(3), 10), section.trim()]),
    );
    for (const figure of figures)
      sections.set(figure.number, figureAlone(figure, { rounds, machine: machine() }));
    return [...sections]
      .sort(([left], [right]) => left - right)
      .map(([, section]) => section)
      .join('\n\n');
  });
  await writeDocument(text);
  console.log('Written: docs/performance.md');
}

/** The text with another part between two marks. */
function replaced(text, begin, end, partOf) {
  const [from, to] = [text.indexOf(begin), text.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`docs/performance.md has lost its marks: ${begin} … ${end}`);
  const part = partOf(text.slice(from + begin.length, to));
  return `${text.slice(0, from)}${begin}\n\n${part}\n\n${text.slice(to)}`;
}

async function writeDocument(text) {
  const rules = await resolveConfig(DOCUMENT);
  writeFileSync(DOCUMENT, await format(text, { ...rules, filepath: DOCUMENT }));
}
