import { parseCents } from '../../common/money.js';
import { PaymentsValidationError } from '../../errors/payments-errors.js';
import { type StatementRow } from '../statement/statement-row.js';
import { type RowMoney } from './judge.js';

/** A row of a payment: of a customer, or to a recipient. */
export type PaymentRow = StatementRow & { readonly kind: 'collection' | 'payout' };

export function isPaymentRow(row: StatementRow): row is PaymentRow {
  return row.kind === 'collection' || row.kind === 'payout';
}

/**
 * The amounts of a row in cents.
 *
 * @throws PaymentsValidationError if the statement, which may be the application's own, gave something else than amounts.
 */
export function rowMoney({ row, kind, amount, fee, at, isFailed }: StatementRow): RowMoney {
  const [cents, feeCents] = [parseCents(amount), fee === undefined ? undefined : parseCents(fee)];
  const isWrong = cents === undefined || (fee !== undefined && feeCents === undefined);
  if (isWrong || ((kind === 'collection' || kind === 'payout') && cents < 0n) || Number.isNaN(at.getTime())) {
    const problem = `row ${row} of the statement must have a two-decimal amount, which a payment has without a sign, a fee like it or none, and a valid date`;
    throw new PaymentsValidationError({ statement: [problem] });
  }
  return {
    row,
    kind,
    isFailed,
    cents: Number(cents),
    feeCents: feeCents === undefined ? undefined : Number(feeCents),
    at: at.getTime(),
  };
}
