import { addMoney } from '../../common/money.js';
import {
  type BalanceEquation,
  type CloseSum,
  type CloseSummary,
  type StatementSummary,
} from '../close/close-summary.js';
import { type AtClock, counted, countText, grouped, negated, oneLine, signed } from './wording.js';

/** Figures for people. The last row is the sum of the rows above it. */
export interface FigureTable {
  readonly title: string;
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
  /** Sentences below the table. */
  readonly notes: readonly string[];
}

/** Names of the columns with numbers, which have their ends below each other. */
export const NUMBERS = ['TZS', 'count', 'amount', 'fees', 'wallet'];
const SUMS = ['', 'count', 'amount', 'fees', 'wallet'];

/** Which day it is, and who closed it when. */
export function titleOf(
  { day, timeZone, from, to, closedAt, by }: CloseSummary,
  at: AtClock,
): { readonly title: string; readonly about: readonly string[] } {
  return {
    title: `Close of ${day}`,
    about: [`From ${at(from)} to ${at(to)} in ${timeZone}.`, `Closed at ${at(closedAt)} by ${oneLine(by)}.`],
  };
}

/** The tables of a close. */
export function figuresOf(summary: CloseSummary, at: AtClock): readonly FigureTable[] {
  const { statement } = summary;
  return [
    balanceTable(summary, at),
    paymentsTable(summary),
    ...(statement ? [statementTable(statement)] : []),
  ];
}

function balanceTable({ balance }: CloseSummary, at: AtClock): FigureTable {
  const title = 'Balance';
  if (!balance) {
    const note =
      'There is no equation: the balance was not read at the end of the day before, or the journal cannot read an amount.';
    return { title, head: [], rows: [], notes: [note] };
  }
  const { opening, closing } = balance;
  return {
    title,
    head: ['', 'TZS', ''],
    rows: [
      ['Opening balance', grouped(opening.balance), `read at ${at(opening.answeredAt)}`],
      ...changesOf(balance),
      ['Closing balance', grouped(closing.balance), `read at ${at(closing.answeredAt)}`],
    ],
    notes: [`Of it ${grouped(closing.available)} are available, and ${grouped(closing.locked)} are locked.`],
  };
}

function changesOf({
  in: received,
  out,
  fees,
  other,
  underWay,
  least,
  most,
  difference,
}: BalanceEquation): string[][] {
  return [
    ['Collections', signed(received), ''],
    ['Payouts', signed(negated(out)), ''],
    ['Fees', signed(negated(fees)), ''],
    ['Other', signed(other), ''],
    ['Under way', signed(underWay), `between ${signed(least)} and ${signed(most)}`],
    ['Difference', signed(difference), addMoney(difference) === '0.00' ? '' : 'nothing explains it'],
  ];
}

function paymentsTable({ collections, payouts, open, expected }: CloseSummary): FigureTable {
  const fees = addMoney(open.fees) === '0.00' ? '' : `, with fees of ${grouped(open.fees)}`;
  return {
    title: 'Payments',
    head: SUMS,
    rows: sumRows(collections, payouts, undefined),
    notes: [
      `Open at the end of the day: ${counted(open.count, 'payment')}, ${grouped(open.amount)}${fees}.`,
      `Expected on a later statement: ${counted(expected, 'payment')}.`,
    ],
  };
}

function statementTable({
  name,
  digest,
  rows,
  otherDays,
  matched,
  collections,
  payouts,
  other,
  doubtfulFees,
}: StatementSummary): FigureTable {
  return {
    title: `Statement ${oneLine(name)}`,
    head: SUMS,
    rows: sumRows(collections, payouts, other),
    notes: [
      `It has ${counted(rows, 'row')}: ${countText(matched)} matched payments, and ${countText(otherDays)} were of other days.`,
      ...(doubtfulFees === undefined
        ? []
        : [`Fees that name a payment, and may be in its row already: ${signed(doubtfulFees)}.`]),
      `SHA-256 of its rows: ${digest}`,
    ],
  };
}

/** Money in and out have signs, so that every column adds up. */
function sumRows(collections: CloseSum, payouts: CloseSum, other: string | undefined): string[][] {
  const moneyIn = { ...collections, fees: negated(collections.fees) };
  const moneyOut = { ...payouts, amount: negated(payouts.amount), fees: negated(payouts.fees) };
  const total = {
    count: moneyIn.count + moneyOut.count,
    amount: addMoney(moneyIn.amount, moneyOut.amount, other ?? 0),
    fees: addMoney(moneyIn.fees, moneyOut.fees),
  };
  return [
    sumRow('Collections', moneyIn),
    sumRow('Payouts', moneyOut),
    ...(other === undefined ? [] : [['Other', '', signed(other), '', signed(other)]]),
    sumRow('Total', total),
  ];
}

function sumRow(label: string, { count, amount, fees }: CloseSum): string[] {
  return [label, countText(count), signed(amount), signed(fees), signed(addMoney(amount, fees))];
}
