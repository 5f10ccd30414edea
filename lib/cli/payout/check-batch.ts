import { type BatchCheckReport, type LineProblem, type PayoutBatch } from '../../batches/index.js';
import { formatTzs } from '../../common/money.js';
import { tableLines } from '../../common/table-lines.js';
import { isPaymentsError, PaymentsError } from '../../errors/payments-errors.js';
import { approvalSteps, batchDocument } from './batch-summary.js';
import { EXIT } from './exit-code.js';
import { shellWord } from '../shell-word.js';
import {
  commandLine,
  fileOf,
  noFile,
  openBatch,
  type PayoutSession,
  refuseOtherFile,
} from './payout-session.js';
import { progressScreen } from './progress-screen.js';

/** Somebody who looks at the screen sees that it continues. */
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
export async function checkBatch(session: PayoutSession): Promise<number> {
  const { args, context } = session;
  const batch = await loadedBatch(session);
  const report = await checkWithProgress(session, batch);
  const { data } = context.terminal;
  if (args.values.json) {
    data(JSON.stringify({ ...batchDocument(batch, await batch.progress()), ...report }));
  } else {
    printReport(session, batch, report);
  }
  return report.blocked > 0 || report.balanceProblem !== undefined ? EXIT.problem : EXIT.fine;
}

/** The batch with the lines of the file, which is loaded now or was before. */
async function loadedBatch(session: PayoutSession): Promise<PayoutBatch> {
  const { args, batches } = session;
  const { batch: name, by, values } = args;
  const existing = await openBatch(session).catch((error: unknown) => {
    if (isPaymentsError(error) && error.code === 'BATCH_NOT_FOUND') return undefined;
    throw error;
  });
  if (existing) {
    await refuseOtherFile(session, existing);
    return existing;
  }
  const path = fileOf(session);
  if (path === undefined) throw noFile(session);
  return batches
    .create(name, session.linesOf(path), { by, again: values.again ?? [] })
    .catch((error: unknown) => {
      if (!isPaymentsError(error) || error.code !== 'BATCH_SAME_LINES') throw error;
      const [says = ''] = error.message.split(':');
      throw new PaymentsError(
        error.code,
        `${says}, so nothing was loaded. To pay all of them under this name, whatever that batch has paid, name it: --again <batch>.`,
      );
    });
}

async function checkWithProgress(session: PayoutSession, batch: PayoutBatch): Promise<BatchCheckReport> {
  const screen = await progressScreen('check', session);
  const look = setInterval(() => {
    batch.progress().then(screen.show, () => undefined);
  }, LOOK_EVERY_MS);
  try {
    await session.engine.begin();
    const report = await batch.check({ by: session.args.by });
    screen.show(await batch.progress());
    return report;
  } finally {
    clearInterval(look);
    screen.end();
  }
}

function printReport(
  { args, context, place, gateway }: PayoutSession,
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
    for (const line of acceptSteps(args, shown)) data(line);
  } else {
    data(paintData('green', '  Every recipient was found, under the name that the file says.'));
  }
  data(`\nDigest of what is to be approved: ${batch.digest}`);
  for (const line of approvalSteps(args, batch.digest, blocked > 0)) data(line);
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

function acceptSteps(
  args: PayoutSession['args'],
  lines: BatchCheckReport['blockedLines'],
): readonly string[] {
  const keys = lines
    .filter(({ problems }) => !problems.some((problem) => NEVER.includes(problem)))
    .map(({ key }) => key);
  if (keys.length === 0) return [];
  return [
    '\nTo pay some of them anyway, name them and say why:',
    `  ${commandLine(args, `--accept ${shellWord(keys.join(','))} --because "<why>" --by <person>`)}`,
  ];
}
