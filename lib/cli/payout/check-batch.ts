import { type BatchCheckReport, type LineProblem, type PayoutBatch } from '../../batches/index.js';
import { formatTzs } from '../../common/money.js';
import { tableLines } from '../../common/table-lines.js';
import { isPaymentsError, PaymentsError } from '../../errors/payments-errors.js';
import { approvalSteps, batchDocument } from './batch-summary.js';
import { EXIT } from './exit-code.js';
import { shellWord } from '../shell-word.js';
import { commandLine, fileOf, noFile, openBatch, type PayoutDesk, refuseOtherFile } from './payout-desk.js';
import { progressScreen } from './progress-screen.js';

/** Somebody who looks at the screen sees that it goes on. */
const LOOK_EVERY_MS = 500;
const WORDS: Readonly<Record<LineProblem, string>> = {
  name: 'the names differ',
  bank: 'no such bank',
  recipient: 'the gateway does not know the recipient',
  lookup: 'the gateway gave no usable answer: check again',
  'same-recipient': 'the same recipient',
};
/** More are in the report. */
const MOST_SHOWN = 50;
/** What no word of a person makes payable. */
const NEVER: readonly LineProblem[] = ['bank', 'recipient', 'lookup'];

/** `--check` */
export async function checkBatch(desk: PayoutDesk): Promise<number> {
  const { order, context } = desk;
  const batch = await loadedBatch(desk);
  const report = await checkWithProgress(desk, batch);
  const { data } = context.terminal;
  if (order.values.json) {
    data(JSON.stringify({ ...batchDocument(batch, await batch.progress()), ...report }));
  } else {
    sayReport(desk, batch, report);
  }
  return report.blocked > 0 || report.balanceProblem !== undefined ? EXIT.problem : EXIT.fine;
}

/** The batch with the lines of the file, which is loaded now or was before. */
async function loadedBatch(desk: PayoutDesk): Promise<PayoutBatch> {
  const { order, batches } = desk;
  const { batch: name, by, values } = order;
  const existing = await openBatch(desk).catch((error: unknown) => {
    if (isPaymentsError(error) && error.code === 'BATCH_NOT_FOUND') return undefined;
    throw error;
  });
  if (existing) {
    await refuseOtherFile(desk, existing);
    return existing;
  }
  const path = fileOf(desk);
  if (path === undefined) throw noFile(order);
  return batches
    .create(name, desk.linesOf(path), { by, again: values.again ?? [] })
    .catch((error: unknown) => {
      if (!isPaymentsError(error) || error.code !== 'BATCH_SAME_LINES') throw error;
      const [says = ''] = error.message.split(':');
      throw new PaymentsError(
        error.code,
        `${says}, so nothing was loaded. If they are to be paid once more, name that batch: --again <batch>.`,
      );
    });
}

async function checkWithProgress(desk: PayoutDesk, batch: PayoutBatch): Promise<BatchCheckReport> {
  const screen = await progressScreen('check', desk);
  const look = setInterval(() => {
    batch.progress().then(screen.show, () => undefined);
  }, LOOK_EVERY_MS);
  try {
    await desk.engine.begin();
    const report = await batch.check({ by: desk.order.by });
    screen.show(await batch.progress());
    return report;
  } finally {
    clearInterval(look);
    screen.end();
  }
}

function sayReport(
  { order, context, place, gateway }: PayoutDesk,
  batch: PayoutBatch,
  report: BatchCheckReport,
): void {
  const { data, paintData } = context.terminal;
  const { lines, amount, blocked, blockedLines, balance, balanceProblem } = report;
  data(`The batch ${paintData('bold', batch.name)} at ${gateway}, written down in ${place}:`);
  data(`  ${lines} lines, ${formatTzs(amount, 'en')} and fees; the wallet has ${formatTzs(balance, 'en')}.`);
  if (balanceProblem !== undefined) data(paintData('yellow', `  ${balanceProblem}`));
  if (blocked > 0) {
    data(paintData('yellow', `\n${blocked} blocked, which somebody has to look at:`));
    const shown = blockedLines.slice(0, MOST_SHOWN);
    for (const line of blockedTable(shown)) data(line);
    if (blocked > shown.length)
      data(`… and ${blocked - shown.length} more: --report --format csv shows all.`);
    for (const line of acceptSteps(order, shown)) data(line);
  } else {
    data(paintData('green', '  Every recipient was found, under the name that the file says.'));
  }
  data(`\nDigest of what is to be approved: ${batch.digest}`);
  for (const line of approvalSteps(order, batch.digest, blocked > 0)) data(line);
}

function blockedTable(lines: BatchCheckReport['blockedLines']): readonly string[] {
  return tableLines(
    ['line', 'key', 'to', 'amount', 'name in the file', 'holder', 'why'],
    lines.map(({ number, key, to, amount, name, holder = '', problems, detail }) => [
      String(number),
      key,
      to,
      formatTzs(amount, 'en'),
      name,
      holder,
      detail === '' ? problems.map((problem) => WORDS[problem]).join(', ') : detail,
    ]),
    ['line', 'amount'],
  );
}

function acceptSteps(order: PayoutDesk['order'], lines: BatchCheckReport['blockedLines']): readonly string[] {
  const keys = lines
    .filter(({ problems }) => !problems.some((problem) => NEVER.includes(problem)))
    .map(({ key }) => key);
  if (keys.length === 0) return [];
  return [
    '\nTo pay some of them all the same, name them and say why:',
    `  ${commandLine(order, `--accept ${shellWord(keys.join(','))} --because "<why>" --by <person>`)}`,
  ];
}
