// Measures the built package beside others and against itself, each in a process of its own. `--only 1,4` and `--rounds 9` for
// parts; `--smoke` only sees that every figure runs. A whole run writes docs/performance.md, and so does `--only 13 --write`,
// with the date of that figure. `--only 17 --storages redis,postgres` measures some storages alone.
import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { writeFigures, writeReport } from './report/document.mjs';
import { figureText, summaryText } from './report/text.mjs';
import { stopChildren } from './shared/child.mjs';
import { undoAll } from './shared/cleanup.mjs';
import { prepare } from './shared/prepare.mjs';
import { unknownStorages } from './throughput/subjects.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    rounds: { type: 'string', default: '5' },
    smoke: { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
    lines: { type: 'string' },
    storages: { type: 'string' },
  },
});
const size = values.smoke
  ? { rounds: 1, warmUps: 0, share: 0.01 }
  : { rounds: wholeNumber(values.rounds), warmUps: 2, share: 1 };
if (values.lines !== undefined) size.lines = wholeNumber(values.lines);
if (values.storages !== undefined) {
  size.storages = values.storages.split(',');
  const unknown = unknownStorages(size.storages);
  if (unknown.length > 0)
    fail(`There is no storage ${unknown.join(', ')}: see bench/throughput/subjects.mjs.`);
}
const chosen = readdirSync(join(here, 'figures'))
  .filter((file) => /^\d\d-/.test(file))
  .map((file) => ({ number: Number(file.slice(0, 2)), file }))
  .filter(({ number }) => values.only === undefined || numbers(values.only).includes(number));
if (chosen.length === 0)
  fail(`There is no figure ${values.only}: write numbers from 1 to 20, as in --only 1,4.`);

for (const signal of ['SIGINT', 'SIGTERM']) {
  process.once(signal, () =>
    stopChildren()
      .then(undoAll)
      .finally(() => process.exit(1)),
  );
}

const tell = (line) => console.log(line);
prepare(tell);
const startedAt = performance.now();
const figures = [];
try {
  for (const { number, file } of chosen) {
    const { title, measure } = await import(`./figures/${file}`);
    const figure = { number, title, ...(await measure({ ...size, tell })) };
    figures.push(figure);
    if (values.smoke && figure.rows.length === 0) throw new Error(`Figure ${number} has no rows.`);
    console.log(values.smoke ? `${number}. ${title}: runs` : figureText(figure));
  }
} finally {
  await stopChildren();
}
if (!values.smoke) console.log(summaryText(figures));
console.log(`${figures.length} figures in ${Math.round((performance.now() - startedAt) / 1_000)} s`);
if (!values.smoke && values.only === undefined) await writeReport(figures, size);
else if (!values.smoke && values.write) await writeFigures(figures, size);

function numbers(list) {
  return list.split(',').map(Number);
}

function wholeNumber(text) {
  if (/^[1-9]\d*$/.test(text)) return Number(text);
  return fail(`'${text}' is no number: write --rounds 5 or --lines 1000000.`);
}

function fail(message) {
  console.error(message);
  process.exit(2);
}
