import { resolve } from 'node:path';
import { formatTzs } from '../../common/money.js';
import { tableLines } from '../../common/table-lines.js';
import { oneOf } from '../option-values.js';
import { batchDocument, printProgress } from './batch-summary.js';
import { EXIT } from './exit-code.js';
import { openBatch, type PayoutSession } from './payout-session.js';
import { readableBy, writePrivately } from './private-file.js';

/** `--report` */
export async function reportBatch(session: PayoutSession): Promise<number> {
  const { args, context } = session;
  const { data, say } = context.terminal;
  const format = oneOf('--format', args.values.format, ['csv', 'json', 'summary']);
  const batch = await openBatch(session);
  if (format !== undefined) {
    const { out } = args.values;
    const pieces = batch.report({ format });
    if (out === undefined) for await (const line of linesIn(pieces)) data(line);
    else {
      await writePrivately(resolve(context.folder, out), pieces);
      say(`The report is in ${out}${readableBy()}.`);
    }
  } else if (args.values.json) {
    data(JSON.stringify(batchDocument(batch, await batch.progress())));
  } else {
    await printProgress(session, batch);
    await printHistory(session, batch);
  }
  return EXIT.fine;
}

/** `--list` */
export async function listBatches({ batches, args, context }: PayoutSession): Promise<number> {
  const { data } = context.terminal;
  const found: object[] = [];
  const rows: (readonly string[])[] = [];
  for await (const batch of batches.list()) {
    const progress = await batch.progress();
    found.push(batchDocument(batch, progress));
    const { state, total } = progress;
    rows.push([batch.name, state, String(total.lines), formatTzs(total.amount, 'en')]);
  }
  if (args.values.json) data(JSON.stringify(found));
  else if (rows.length === 0) data('There is no batch.');
  else tableLines(['batch', 'state', 'lines', 'amount'], rows, ['lines', 'amount']).forEach(data);
  return EXIT.fine;
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
  for await (const { at, action, by } of batch.audit()) rows.push([at.toISOString(), action, by]);
  context.terminal.data('');
  tableLines(['when', 'what', 'who'], rows, []).forEach(context.terminal.data);
}
