import {
  type BatchProgress,
  type LineState,
  type PayoutBatch,
  type PayoutBatchLine,
} from '../../batches/index.js';
import { formatTzs } from '../../common/money.js';
import { tableLines } from '../../common/table-lines.js';
import { type PayoutArguments } from './payout-arguments.js';
import { commandLine, type PayoutSession } from './payout-session.js';

/** What needs somebody comes first. */
const STATES: readonly LineState[] = [
  'unknown',
  'blocked',
  'refused',
  'failed',
  'waiting',
  'checked',
  'sending',
  'accepted',
  'paid',
];
/** Lines in these states are shown one by one. */
const SHOWN: readonly LineState[] = ['unknown', 'refused', 'failed'];
const MOST_SHOWN = 20;

/** A batch as a JSON document. */
export function batchDocument({ name, digest }: PayoutBatch, progress: BatchProgress): object {
  return { batch: name, digest, ...progress };
}

/** Says where a batch is, which of its lines need somebody, and what to type next. */
export async function printProgress(session: PayoutSession, batch: PayoutBatch): Promise<BatchProgress> {
  const { data, paintData } = session.context.terminal;
  const progress = await batch.progress();
  const reason = progress.pauseReason === undefined ? '.' : `: ${progress.pauseReason}`;
  data(`The batch ${paintData('bold', batch.name)} is ${progress.state}${reason}`);
  for (const line of sumLines(progress)) data(line);
  for (const state of SHOWN) {
    const count = progress.byState[state]?.lines ?? 0;
    if (count === 0) continue;
    data(`\n${state === 'unknown' ? paintData('yellow', 'unknown') : paintData('red', state)}:`);
    for (const line of tableOf(await firstLines(batch, state))) data(line);
    if (count > MOST_SHOWN) data(`… and ${count - MOST_SHOWN} more: --report --format csv shows all.`);
  }
  for (const line of nextSteps(session.args, batch, progress)) data(line);
  return progress;
}

function sumLines({ byState, total }: BatchProgress): readonly string[] {
  const sums = STATES.flatMap((state) => {
    const sum = byState[state];
    return sum ? [[state, String(sum.lines), formatTzs(sum.amount, 'en')]] : [];
  });
  const all = ['all', String(total.lines), formatTzs(total.amount, 'en')];
  return tableLines(['state', 'lines', 'amount'], [...sums, all], ['lines', 'amount']);
}

async function firstLines(batch: PayoutBatch, state: LineState): Promise<readonly PayoutBatchLine[]> {
  const found: PayoutBatchLine[] = [];
  for await (const line of batch.lines({ state })) {
    found.push(line);
    if (found.length === MOST_SHOWN) break;
  }
  return found;
}

function tableOf(lines: readonly PayoutBatchLine[]): readonly string[] {
  return tableLines(
    ['key', 'to', 'amount', 'name', 'why'],
    lines.map(({ key, to, amount, name, detail }) => [key, to, formatTzs(amount, 'en'), name, detail]),
    ['amount'],
  );
}

/** What a person can do now, with the commands to type. */
function nextSteps(
  args: PayoutArguments,
  { digest }: Pick<PayoutBatch, 'digest'>,
  { state, byState }: BatchProgress,
): readonly string[] {
  const step = STEPS[state];
  return [
    byState.unknown
      ? [
          '\nUnknown is neither paid nor failed: never pay it another way. After two minutes, ask again:',
          `  ${commandLine(args, '--ask-again --by <person>')}`,
          "If it stays unknown, ask the gateway's support, and write its answer down:",
          `  ${commandLine(args, '--settle <key>=paid --by <person>')}`,
          'or <key>=failed, if the support is certain that no money moved and none will.',
        ]
      : [],
    step ? [`\n${step.says}`, `  ${commandLine(args, step.rest)}`] : [],
    state === 'checked' ? approvalSteps(args, digest, byState.blocked !== undefined) : [],
    (byState.refused || byState.blocked) && state === 'ended'
      ? [
          '\nWhat was refused or blocked moved no money: correct these lines, and pay them as a batch of their own.',
        ]
      : [],
  ].flat();
}

/** How a batch is approved. */
export function approvalSteps(args: PayoutArguments, digest: string, hasBlocked: boolean): readonly string[] {
  const without = hasBlocked ? ' --without-blocked' : '';
  return [
    `\nNext, by another person than who loaded it${hasBlocked ? '; blocked lines stay unpaid' : ''}:`,
    `  ${commandLine(args, `--approve --by <person> --digest ${digest}${without}`)}`,
  ];
}

const STEPS: Partial<Record<BatchProgress['state'], { readonly says: string; readonly rest: string }>> = {
  loaded: { says: 'Next:', rest: '--check --by <person>' },
  checking: { says: 'The check was cut off. The same command continues:', rest: '--check --by <person>' },
  approved: { says: 'Next:', rest: '--run --by <person>' },
  running: { says: 'If no process pays it any more, continue:', rest: '--run --by <person>' },
  paused: { says: 'The same command sends the rest:', rest: '--run --by <person>' },
};
