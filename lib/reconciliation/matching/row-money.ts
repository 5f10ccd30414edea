import { types } from 'node:util';
import { LIMIT_CENTS, parseCentsAsNumber } from '../../common/money.js';
import { type PaymentsValidationError } from '../../errors/payments-errors.js';
import { STATEMENT_ROW_KINDS, type StatementRow } from '../statement/statement-row.js';
import { wrongStatement } from '../statement/wrong-statement.js';
import { type RowMoney } from './classify-payment.js';

/** A row of a payment: of a customer, or to a recipient. */
export type PaymentRow = StatementRow & { readonly kind: 'collection' | 'payout' };

export function isPaymentRow(row: StatementRow): row is PaymentRow {
  return row.kind === 'collection' || row.kind === 'payout';
}

/** Money that is no payment. */
export interface OtherMoney {
  /** With its fee; negative if it left the wallet. */
  readonly cents: number;
  readonly at: number;
  /** It may be the fee that a payment has already. */
  readonly isDoubtful: boolean;
}

/** A row that names no payment of the day. It waits for the end of the statement. */
export interface OpenRow {
  readonly given: PaymentRow;
  readonly money: RowMoney;
}

const KINDS: ReadonlySet<unknown> = new Set(STATEMENT_ROW_KINDS);
/** What is checked of a row beside its amounts and its time. */
const FORM: readonly (readonly [keyof StatementRow, (value: unknown) => boolean, string])[] = [
  ['kind', (value) => KINDS.has(value), "'collection', 'payout', 'fee' or 'other'"],
  ['reference', (value) => value === undefined || isText(value), 'a text that is not blank, or undefined'],
  ['recipient', (value) => value === undefined || isText(value), 'a text that is not blank, or undefined'],
  ['isFailed', (value) => typeof value === 'boolean', 'true or false'],
  ['at', types.isDate, 'a Date'],
];

/** Sums of smaller amounts are exact. A file has no larger ones, either. */
const MOST_CENTS = Number(LIMIT_CENTS);
const AMOUNT = 'must be a two-decimal string such as "1180.50", below 10000000000000 (10^13)';

/**
 * The amounts of a row in cents. A JavaScript program may give a row any form, so that is checked, too.
 *
 * @throws PaymentsValidationError if the statement, which may be the application's own, gave something else than a row.
 */
export function rowMoney(given: StatementRow): RowMoney {
  checkForm(given);
  const { row, kind, amount, fee, at, isFailed } = given;
  const [cents, feeCents] = [centsOf(amount), fee === undefined ? undefined : centsOf(fee)];
  const isPayment = kind === 'collection' || kind === 'payout';
  if (cents === undefined) throw wrongRow(row, `the amount ${AMOUNT}`);
  if (isPayment && cents < 0) throw wrongRow(row, `the amount of a ${kind} must not be negative`);
  if (fee !== undefined && feeCents === undefined) throw wrongRow(row, `the fee ${AMOUNT}, or undefined`);
  if (feeCents !== undefined && feeCents < 0) throw wrongRow(row, 'the fee must not be negative');
  if (Number.isNaN(at.getTime())) throw wrongRow(row, 'the time must be a valid date');
  return { row, kind, isFailed, cents, feeCents, at: at.getTime() };
}

/** What a row that is no payment does to the balance. A fee with a reference is doubtful until the reference is looked up. */
export function otherMoney(
  { kind, reference }: StatementRow,
  { cents, feeCents = 0, at }: RowMoney,
): OtherMoney {
  const isFee = kind === 'fee';
  // A fee that a row names in both columns was taken once.
  const change = isFee && feeCents === Math.abs(cents) ? cents : cents - feeCents;
  return { cents: change, at, isDoubtful: isFee && reference !== undefined };
}

/** Nothing is guessed: an unknown kind would leave a payment out, and two rows with a blank reference would be one payment. */
function checkForm(row: Readonly<Record<keyof StatementRow, unknown>>): void {
  const name = String(row.row);
  if (!Number.isSafeInteger(row.row))
    throw wrongRow(name, 'its place must be a whole number, such as the line of a file');
  for (const [field, isRight, what] of FORM)
    if (!isRight(row[field])) throw wrongRow(name, `${field} must be ${what}`);
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value.trim() !== '';
}

function centsOf(amount: unknown): number | undefined {
  const cents = typeof amount === 'string' ? parseCentsAsNumber(amount) : undefined;
  return cents !== undefined && Math.abs(cents) < MOST_CENTS ? cents : undefined;
}

function wrongRow(row: number | string, problem: string): PaymentsValidationError {
  return wrongStatement(`row ${row}: ${problem}`);
}
