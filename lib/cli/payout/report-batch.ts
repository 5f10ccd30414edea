import { resolve } from 'node:path';
import { type BatchAuditEntry } from '../../batches/index.js';
import { formatTzs } from '../../common/money.js';
import { tableLines } from '../../common/table-lines.js';
import { batchDocument, printProgress } from './batch-summary.js';
import { EXIT, exitCodeOf, unknownLines } from './exit-code.js';
import { openBatch, type PayoutSession } from './payout-session.js';
import { readableBy, writePrivately } from './private-file.js';

const COLUMNS = ['batch', 'state', 'lines', 'unknown', 'amount'];
type Details = BatchAuditEntry['details'];
/** What is shown of an entry of the audit trail: no money, and nothing of a person but who acted and why. */
const DETAILS: Readonly<Record<string, (value: unknown) => string>> = {
  key: String,
  outcome: String,
  lines: (count) => `${String(count)} lines`,
  keys: (keys) => `${[keys].flat().length} lines`,
  because: String,
  blocked: (count) => `${String(count)} blocked`,
  digest: (digest) => `digest ${String(digest)}`,
  reason: String,
};

/** `--report` */
export async function reportBatch(session: PayoutSession): Promise<number> {
  const { values, format } = session.args;
  const batch = await openBatch(session);
  if (format !== undefined) {
    await writeReport(session, batch.report({ format }));
    return exitCodeOf(await batch.progress());
  }
  if (!values.json) {
    const progress = await printProgress(session, batch);
    await printHistory(session, batch);
    return exitCodeOf(progress);
  }
  const progress = await batch.progress();
  const audit: object[] = [];
  for await (const { details, ...entry } of batch.audit())
    audit.push({ ...entry, details: impersonal(details) });
  session.context.terminal.data(JSON.stringify({ ...batchDocument(batch, progress), audit }));
  return exitCodeOf(progress);
}

async function writeReport({ args, context }: PayoutSession, pieces: AsyncIterable<string>): Promise<void> {
  const { data, say } = context.terminal;
  const { out } = args.values;
  if (out === undefined) {
    for await (const line of linesIn(pieces)) data(line);
    return;
  }
  await writePrivately(resolve(context.folder, out), pieces);
  say(`The report is in ${out}${readableBy()}.`);
}

/** `--list` */
export async function listBatches({ batches, args, context }: PayoutSession): Promise<number> {
  const { data } = context.terminal;
  const found: object[] = [];
  const rows: (readonly string[])[] = [];
  let unknown = 0;
  for await (const batch of batches.list()) {
    const progress = await batch.progress();
    found.push(batchDocument(batch, progress));
    const { state, total } = progress;
    const ofBatch = unknownLines(progress);
    unknown += ofBatch;
    rows.push([batch.name, state, String(total.lines), String(ofBatch), formatTzs(total.amount, 'en')]);
  }
  if (args.values.json) data(JSON.stringify(found));
  else if (rows.length === 0) data('There is no batch.');
  else tableLines(COLUMNS, rows, ['lines', 'unknown', 'amount']).forEach(data);
  return unknown > 0 ? EXIT.unknown : EXIT.fine;
}

/** Pieces begin and end anywhere. */
async function* linesIn(pieces: AsyncIterable<string>): AsyncGenerator<string, void> {
  let rest = '';
  for await (const piece of pieces) {
    const lines = (rest + piece).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
  if (rest !== '') yield rest;
}

async function printHistory(
  { context }: PayoutSession,
  batch: Awaited<ReturnType<typeof openBatch>>,
): Promise<void> {
  const rows: (readonly string[])[] = [];
  for await (const { at, action, by, details } of batch.audit())
    rows.push([at.toISOString(), action, by, detailsText(details)]);
  context.terminal.data('');
  tableLines(['when', 'what', 'who', 'details'], rows, []).forEach(context.terminal.data);
}

function impersonal(details: Details): Details {
  return Object.fromEntries(Object.entries(details).filter(([name]) => name in DETAILS));
}

/** `S-001, paid`, or `2 lines, married`. */
function detailsText(details: Details): string {
  return Object.entries(DETAILS)
    .flatMap(([name, inWords]) => (details[name] === undefined ? [] : [inWords(details[name])]))
    .join(', ');
}
