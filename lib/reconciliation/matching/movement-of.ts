import { type Movement } from '../balance/movement.js';
import { CUT_MS, latestTimeOf, type RowMoney } from './classify-payment.js';
import { earliestOf, type JournalPayment } from './journal-payment.js';

/** Without another limit, a fee is at most the amount, or this if that is more: 10,000 TZS. */
const LARGEST_SMALL_FEE = 1_000_000;

/** What limits what nobody said. */
export interface MovementLimits {
  /** Undefined: the amount, and at least 10,000 TZS. */
  readonly largestFeeCents: number | undefined;
  /** How long after acceptance a payout may still change the balance; Infinity: without a limit. */
  readonly payoutsEndWithinMs: number;
}

/** How the journal says that a payment changes the balance; undefined if it cannot read the amount. */
export function movementOf(own: JournalPayment, limits: MovementLimits): Movement | undefined {
  const { family, cents, feeCents, changedAt } = own;
  const from = earliestOf(own);
  if (cents === undefined) return undefined;
  // Below, it is spread last: each property after a spread makes a new hidden class for every payment.
  const range = rangeOf(family === 'collection' ? 'in' : 'out', cents, feeCents, limits);
  switch (own.state) {
    case 'moved':
      return { state: 'moved', from, to: changedAt, ...range };
    case 'none':
      // What the gateway refused never left. A payout that failed may have been away for some time.
      return family === 'collection' || own.status === 'rejected'
        ? { state: 'none', from, to: changedAt, ...range }
        : { state: 'returned', from, to: changedAt, ...range };
    case 'accepted': {
      const to = family === 'disbursement' ? from + limits.payoutsEndWithinMs : Infinity;
      return { state: 'open', from, to, ...range };
    }
    case 'unknown':
      return { state: 'open', from, to: Infinity, ...range };
  }
}

/** The same when the statement shows the payment. Where both sides differ, nobody knows who is right. */
export function movementWithRow(
  own: JournalPayment,
  row: RowMoney,
  limits: MovementLimits,
): Movement | undefined {
  if (row.isContradicted) return movementOf(own, limits);
  if (row.isFailed) return movementOfFailed(own, row, limits);
  const theirs = rangeOf(directionOf(row), row.cents, row.feeCents ?? own.feeCents, limits);
  if (own.cents === undefined) return { state: 'moved', from: row.at, to: latestTimeOf(row.at), ...theirs };
  const { direction } = theirs;
  const ours = rangeOf(direction, own.cents, own.feeCents ?? row.feeCents, limits);
  const least = Math.min(ours.least, theirs.least);
  const most = Math.max(ours.most, theirs.most);
  if (own.state !== 'none') return { direction, least, most, state: 'moved', ...timeOf(own, row) };
  const made = earliestOf(own);
  const [from, to] = [Math.min(made, row.at), Math.max(made, latestTimeOf(row.at))];
  return { direction, least, most, state: 'open', from, to };
}

/**
 * The statement knows when it moved, unless the journal knows better: that it had moved before, or that it was not even made by then.
 * Such a time was cut, for example to the minute, or is of another clock.
 */
function timeOf(own: JournalPayment, { at }: RowMoney): Pick<Movement, 'from' | 'to'> {
  const { state, createdAt, changedAt } = own;
  const [made, hasMoved] = [earliestOf(own), state === 'moved'];
  if (at < made) {
    return { from: Math.max(createdAt, at), to: hasMoved ? changedAt : Math.max(made, at + CUT_MS) };
  }
  // The close before may have counted it for certain: as money that may move after that, it would hide what somebody took.
  if (hasMoved && changedAt < at) return { from: made, to: changedAt };
  const latest = latestTimeOf(at);
  return { from: at, to: hasMoved ? Math.min(latest, changedAt) : latest };
}

/** How a row that is in doubt may change the balance. */
export function movementOfRow(row: RowMoney, limits: MovementLimits): Movement {
  const { cents, feeCents, at } = row;
  const range = rangeOf(directionOf(row), cents, feeCents, limits);
  return { state: 'open', from: at, to: latestTimeOf(at), ...range };
}

function directionOf({ kind }: RowMoney): Movement['direction'] {
  return kind === 'collection' ? 'in' : 'out';
}

/** How a row may change the balance that takes back what an earlier one said. */
export function movementOfReturn(row: RowMoney, limits: MovementLimits): Movement {
  const { direction, most, state, from, to } = movementOfRow(row, limits);
  return { direction: direction === 'in' ? 'out' : 'in', least: 0, most, state, from, to };
}

/** The statement says that no money moved. */
function movementOfFailed(own: JournalPayment, row: RowMoney, limits: MovementLimits): Movement | undefined {
  if (own.state === 'none') return movementOf(own, limits);
  const isOpen = own.state !== 'moved';
  // A row of another amount proves nothing.
  if (isOpen && own.cents !== row.cents) return movementOf(own, limits);
  const changedAt = Math.max(earliestOf(own), latestTimeOf(row.at));
  const movement = movementOf(
    { ...own, ...(isOpen && { state: 'none', status: 'failed', changedAt }) },
    limits,
  );
  return movement && (isOpen ? movement : { ...movement, state: 'open', to: Infinity });
}

/** A collection brings the amount less the fee; a payout takes the amount and the fee. */
function rangeOf(
  direction: Movement['direction'],
  cents: number,
  feeCents: number | undefined,
  { largestFeeCents }: MovementLimits,
): Pick<Movement, 'direction' | 'least' | 'most'> {
  const largest = feeCents ?? largestFeeCents ?? Math.max(cents, LARGEST_SMALL_FEE);
  const smallest = feeCents ?? 0;
  return direction === 'in'
    ? { direction, least: Math.max(0, cents - largest), most: Math.max(0, cents - smallest) }
    : { direction, least: cents + smallest, most: cents + largest };
}
