import { tableLines } from '../../common/table-lines.js';
import { isPaymentsError, PaymentsError } from '../../errors/payments-errors.js';
import { type CloseProposal, type DayClose } from '../../reconciliation/index.js';
import { shellWord } from '../shell-word.js';
import { EXIT, exitCodeOf } from './exit-code.js';
import { type ReconcileDesk } from './reconcile-desk.js';
import { commandLine } from './reconcile-order.js';

/** `--day` */
export async function closeDay(desk: ReconcileDesk): Promise<number> {
  const { order, context } = desk;
  const { data, say } = context.terminal;
  const close = await closeOf(desk);
  const { summary, exceptions, proposals } = close;
  if (order.values.json) {
    data(JSON.stringify({ summary, exceptions, proposals }));
  } else {
    data(close.report({ format: order.format }).trimEnd());
    if (order.format === 'table') for (const line of nextSteps(order, close)) say(line);
  }
  return exitCodeOf(exceptions);
}

/** `--day` with `--apply` */
export async function applyDay(desk: ReconcileDesk): Promise<number> {
  const { order, context, reconciliation } = desk;
  const { data, paintData } = context.terminal;
  const { summary, proposals } = await closedDay(desk);
  if (!order.values.json) for (const line of proposalLines(proposals)) data(line);
  const { settled, refused } = await reconciliation.apply(proposals, { by: order.by });
  const { exceptions } = await reconciliation.open(summary.day);
  if (order.values.json) {
    data(JSON.stringify({ day: summary.day, proposals, settled, refused, exceptions }));
  } else {
    if (proposals.length > 0) data(`${settled} of ${proposals.length} have this outcome now.`);
    for (const { proposal, reason } of refused) {
      data(paintData('yellow', `${proposal.reference} was refused: ${reason}`));
    }
    const open = exceptions.filter(({ state }) => state === 'open').length;
    data(`Open: ${open === 0 ? 'none' : open}.`);
  }
  return refused.length > 0 ? EXIT.problem : exitCodeOf(exceptions);
}

/** Whoever settles has looked at the close before. */
async function closedDay(desk: ReconcileDesk): Promise<DayClose> {
  const { day = '' } = desk.order.values;
  try {
    const closed = await desk.reconciliation.open(day);
    // Says that the statement or the zone are others, if some are given.
    return desk.statement || desk.order.values['time-zone'] !== undefined ? await closeOf(desk) : closed;
  } catch (error) {
    if (!isPaymentsError(error) || error.code !== 'DAY_NOT_CLOSED') throw error;
    throw new PaymentsError(
      'DAY_NOT_CLOSED',
      `Nothing was settled: ${day} was not closed. Close it without --apply, look at what its statement proves, and then settle it.`,
    );
  }
}

function closeOf({ order, reconciliation, statement }: ReconcileDesk): Promise<DayClose> {
  const { day = '', 'time-zone': timeZone } = order.values;
  return reconciliation.close({
    day,
    by: order.by,
    ...(timeZone !== undefined && { timeZone }),
    ...(statement && { statement }),
  });
}

function proposalLines(proposals: readonly CloseProposal[]): readonly string[] {
  if (proposals.length === 0) return ['The statement proves nothing that is to be settled.'];
  return tableLines(
    ['reference', 'payment', 'outcome', 'row'],
    proposals.map(({ reference, family, outcome, row }) => [
      reference,
      family === 'collection' ? 'collection' : 'payout',
      outcome,
      String(row),
    ]),
    ['row'],
  );
}

/** What a person can do now, with the commands to type. */
function nextSteps(
  { values }: ReconcileDesk['order'],
  { summary, exceptions, proposals }: DayClose,
): readonly string[] {
  const toFindOut = exceptions.find(({ state, proposal }) => state === 'open' && proposal === undefined);
  return [
    ...(proposals.length > 0
      ? [
          `\nThe statement proves the outcome of ${proposals.length} payments. To settle those that are not settled yet:`,
          `  ${commandLine(values, `--day ${summary.day} --apply --by <person>`)}`,
        ]
      : []),
    ...(toFindOut
      ? [
          '\nWho found out why an exception is as it is writes it down:',
          `  ${commandLine(values, `--explain ${shellWord(toFindOut.id)} --note "<why>" --by <person>`)}`,
        ]
      : []),
  ];
}
