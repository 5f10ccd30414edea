import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { format, resolveConfig } from 'prettier';
import { chart } from './chart.mjs';
import { machine } from './machine.mjs';
import { measuredMarkdown } from './markdown.mjs';

const docs = join(dirname(fileURLToPath(import.meta.url)), '..', '..', 'docs');
const DOCUMENT = join(docs, 'performance.md');
const BEGIN = '<!-- measured: begin (written by npm run bench) -->';
const END = '<!-- measured: end -->';

/** Writes the measured part of docs/performance.md, and the chart beside it; what people wrote around it stays. */
export async function writeReport(figures, { rounds }) {
  const text = readFileSync(DOCUMENT, 'utf8');
  const [begin, end] = [text.indexOf(BEGIN), text.indexOf(END)];
  if (begin < 0 || end < begin) throw new Error(`docs/performance.md has lost its marks: ${BEGIN} … ${END}`);
  const measured = measuredMarkdown(figures, { rounds, machine: machine() });
  const whole = `${text.slice(0, begin)}${BEGIN}\n\n${measured}\n\n${text.slice(end)}`;
  const rules = await resolveConfig(DOCUMENT);
  writeFileSync(DOCUMENT, await format(whole, { ...rules, filepath: DOCUMENT }));
  writeFileSync(join(docs, 'performance.svg'), chart(figures));
  console.log('Written: docs/performance.md and docs/performance.svg');
}
