import { parseCentsAsNumber } from '../../common/money.js';
import { type PaymentsValidationError } from '../../errors/payments-errors.js';
import { type StatementRow } from '../statement/statement-row.js';
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

/** Sums of smaller amounts are exact. A file has no larger ones, either. */
const LIMIT_CENTS = 1e15;
const AMOUNT = 'must be a two-decimal string such as "1180.50", below 10000000000000 (10^13)';

/**
 * The amounts of a row in cents.
 *
 * @throws PaymentsValidationError if the statement, which may be the application's own, gave something else than amounts.
 */
export function rowMoney({ row, kind, amount, fee, at, isFailed }: StatementRow): RowMoney {
  const [cents, feeCents] = [centsOf(amount), fee === undefined ? undefined : centsOf(fee)];
  const isPayment = kind === 'collection' || kind === 'payout';
  if (cents === undefined) throw wrongRow(row, `the amount ${AMOUNT}`);
  if (isPayment && cents < 0) throw wrongRow(row, `the amount of a ${kind} must not be negative`);
  if (fee !== undefined && feeCents === undefined) throw wrongRow(row, `the fee ${AMOUNT}, or undefined`);
  if (feeCents !== undefined && feeCents < 0) throw wrongRow(row, 'the fee must not be negative');
  if (Number.isNaN(at.getTime())) throw wrongRow(row, 'the time must be a valid date');
  return { row, kind, isFailed, cents, feeCents, at: at.getTime() };
}

/** What a row that is no payment does to the balance. */
export function otherMoney(
  { kind, reference }: StatementRow,
  { cents, feeCents = 0, at }: RowMoney,
): OtherMoney {
  const isFee = kind === 'fee';
  // A fee that a row names in both columns was taken once.
  const change = isFee && feeCents === Math.abs(cents) ? cents : cents - feeCents;
  return { cents: change, at, isDoubtful: isFee && reference !== undefined };
}

function centsOf(amount: string): number | undefined {
  const cents = parseCentsAsNumber(amount);
  return cents !== undefined && Math.abs(cents) < LIMIT_CENTS ? cents : undefined;
}

function wrongRow(row: number, problem: string): PaymentsValidationError {
  return wrongStatement(`row ${row}: ${problem}`);
}
