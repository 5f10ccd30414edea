import { type PaymentFamily } from '../../common/vocabulary.js';
import { CUT_MS } from './classify-payment.js';

const MINUTE_MS = 60_000;

/** What a row has that a payment may have, too. */
export interface LooseRow {
  readonly family: PaymentFamily;
  readonly cents: number;
  readonly at: number;
  /** As `comparable` writes it. */
  readonly recipient: string | undefined;
}

/** A payment without a row. */
export interface LoosePayment {
  readonly family: PaymentFamily;
  readonly cents: number | undefined;
  /** When its last attempt began. */
  readonly begunAt: number;
  readonly recipient: string | undefined;
}

/**
 * The pairs of a row and a payment that fit each other and nothing else: the same amount, the row at most `withinMs` after the
 * payment, and the same phone or account number if the row has one.
 *
 * @returns For each row the index of its payment, or undefined.
 */
export function loosePairs(
  rows: readonly LooseRow[],
  payments: readonly LoosePayment[],
  withinMs: number,
): readonly (number | undefined)[] {
  const byAmount = new Map<string, number[]>();
  for (const [index, payment] of payments.entries()) {
    const same = byAmount.get(amountOf(payment));
    if (same) same.push(index);
    else byAmount.set(amountOf(payment), [index]);
  }
  const candidates = rows.map((row) =>
    (byAmount.get(amountOf(row)) ?? []).filter((index) => fits(row, payments[index], withinMs)),
  );
  const wanted = new Map<number, number>();
  for (const index of candidates.flat()) wanted.set(index, (wanted.get(index) ?? 0) + 1);
  return candidates.map(([first, ...others]) =>
    first !== undefined && others.length === 0 && wanted.get(first) === 1 ? first : undefined,
  );
}

function amountOf({ family, cents }: LooseRow | LoosePayment): string {
  return `${family} ${cents}`;
}

function fits(row: LooseRow, payment: LoosePayment | undefined, withinMs: number): boolean {
  if (!payment) return false;
  const laterMs = row.at - payment.begunAt;
  // A row with hours and minutes only is of the whole minute.
  const earliestMs = row.at % MINUTE_MS === 0 ? -CUT_MS : 0;
  if (laterMs < earliestMs || laterMs > withinMs) return false;
  return row.recipient === undefined || row.recipient === payment.recipient;
}
