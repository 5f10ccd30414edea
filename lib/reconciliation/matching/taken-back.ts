import { type PaymentFamily } from '../../common/vocabulary.js';
import { isBeforeLastAttempt, type RowMoney } from './classify-payment.js';
import { hasOutcome, type JournalPayment } from './journal-payment.js';

/** A row that is no payment, but may take back one of another day. */
export interface OpenReturn {
  readonly family: PaymentFamily;
  readonly reference: string;
  readonly money: RowMoney;
}

/**
 * The family of the payment whose money a row takes back, if the row names one: that of the other direction. Undefined: it takes
 * nothing back. A fee may be of any payment.
 */
export function familyTakenBack({
  kind,
  cents,
  isFailed,
}: Pick<RowMoney, 'kind' | 'cents' | 'isFailed'>): PaymentFamily | undefined {
  if (isFailed || cents === 0 || kind === 'fee') return undefined;
  const isIn = kind === 'collection' || (kind === 'other' && cents > 0);
  return isIn ? 'disbursement' : 'collection';
}

/** Whether a row takes back that a payment moved. It names the payment, and moves money in the other direction. */
export function takesBack(own: JournalPayment, row: RowMoney): boolean {
  // The journal says so, too; or the row is that of an earlier attempt, which the journal says the same of.
  const isKnown = (own.state === 'none' && hasOutcome(own)) || isBeforeLastAttempt(own, row);
  if (isKnown || familyTakenBack(row) !== own.family) return false;
  // Somebody may take a levy of a collection, give back the fee of a payout, or a customer get a part back. A payout may
  // come back less its fee, too: so a large fee that is given back counts as a return, and nothing is proposed.
  if (own.cents === undefined) return true;
  return 2 * Math.abs(row.cents) >= own.cents - (own.feeCents ?? 0);
}
