import { printable } from '../../common/printable.js';
import { tableLines } from '../../common/table-lines.js';
import { isPaymentsError, PaymentsError } from '../../errors/payments-errors.js';
import { type CloseProposal, type DayClose } from '../../reconciliation/index.js';
import { takesProof } from '../../reconciliation/exceptions/close-exception.js';
import { shellWord } from '../shell-word.js';
import { EXIT, exitCodeOf } from './exit-code.js';
import { type ReconcileSession } from './reconcile-session.js';
import { commandLine } from './reconcile-arguments.js';

/** `--day` */
export async function closeDay(session: ReconcileSession): Promise<number> {
  const { args, context } = session;
  const { data, say } = context.terminal;
  const close = await closeOf(session);
  const { summary, exceptions, proposals } = close;
  if (args.values.json) {
    data(JSON.stringify({ summary, exceptions, proposals }));
  } else {
    data(close.report({ format: args.format }).trimEnd());
    if (args.format === 'table') for (const line of nextSteps(args, close)) say(line);
  }
  return exitCodeOf(exceptions);
}

/** `--day` with `--apply` */
export async function applyDay(session: ReconcileSession): Promise<number> {
  const { args, context, reconciliation } = session;
  const { data, paintData } = context.terminal;
  const close = await closedDay(session);
  const { summary, proposals } = close;
  if (!args.values.json)
    for (const line of [...proposalLines(proposals), ...explainedLines(close)]) data(line);
  const { settled, refused } = await reconciliation.apply(proposals, { by: args.by });
  const { exceptions } = await reconciliation.open(summary.day);
  if (args.values.json) {
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

/** A person who settles has looked at the close before. */
function closedDay(session: ReconcileSession): Promise<DayClose> {
  return openedDay(
    session,
    (day) =>
      `Nothing was settled: ${day} was not closed. Close it without --apply, look at what its statement proves, and then settle it.`,
  );
}

/** Closes the day, or looks at it. Nothing is closed twice, so a day without its statement needs a word for that. */
function closeOf(session: ReconcileSession): Promise<DayClose> {
  if (session.statement || session.args.values['without-statement']) return closeNow(session);
  return openedDay(
    session,
    (day) =>
      `Nothing was done: ${day} was not closed. Close it with --statement <file>; if the gateway writes no statement of it, with --without-statement.`,
  );
}

/** @throws PaymentsError with the code `DAY_NOT_CLOSED`. */
async function openedDay(session: ReconcileSession, notClosed: (day: string) => string): Promise<DayClose> {
  const { day = '', 'time-zone': timeZone } = session.args.values;
  try {
    const closed = await session.reconciliation.open(day);
    // Says that the statement or the zone are others, if some are given.
    return session.statement || timeZone !== undefined ? await closeNow(session) : closed;
  } catch (error) {
    if (!isPaymentsError(error) || error.code !== 'DAY_NOT_CLOSED') throw error;
    throw new PaymentsError('DAY_NOT_CLOSED', notClosed(day));
  }
}

function closeNow({ args, reconciliation, statement }: ReconcileSession): Promise<DayClose> {
  const { day = '', 'time-zone': timeZone, 'allow-no-match': allowNoMatch } = args.values;
  return reconciliation.close({
    day,
    by: args.by,
    ...(timeZone !== undefined && { timeZone }),
    ...(statement && { statement }),
    ...(allowNoMatch && { allowNoMatch }),
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

/** What a person has explained proposes nothing. */
function explainedLines({ exceptions }: DayClose): readonly string[] {
  return exceptions
    .filter(({ state, kind }) => state === 'explained' && takesProof(kind))
    .map(
      ({ reference = '', kind }) =>
        `${printable(reference)} is left as it is: somebody has explained its exception (${kind}).`,
    );
}

/** What a person can do now, with the commands to type. */
function nextSteps(
  { values }: ReconcileSession['args'],
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
