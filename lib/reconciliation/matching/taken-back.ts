import { type PaymentFamily } from '../../common/vocabulary.js';
import { isBeforeLastAttempt, type RowMoney } from './classify-payment.js';
import { hasOutcome, type JournalPayment } from './journal-payment.js';
import { type JournalPayments } from './journal-payments.js';

/** What somebody may take of a collection without a question: a tenth. Levies are less, and may be more than the fee. */
const LEVY_PART = 10;

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

/**
 * What the rows of a statement move back, added up by payment: money that comes back in parts is back, too. Rows of other days are
 * not in it.
 */
export class TakenBack {
  /** In cents, by the place of a payment of the day. Most statements have no such row, so the first one makes it. */
  private ofDay: Float64Array | undefined;
  /** The same of payments of other days. */
  private readonly ofOthers = new Map<string, number>();

  constructor(private readonly payments: JournalPayments) {}

  /**
   * What a row, or with it all that came so far, takes back of a payment: it names the payment, and moves money back. It may be
   * more than the payment moved. Undefined: nothing that counts.
   */
  take(own: JournalPayment, row: RowMoney): 'a part' | 'too much' | undefined {
    if (!movesBack(own, row)) return undefined;
    const back = this.add(own, Math.abs(row.cents));
    if (!isBack(own, back)) return undefined;
    return back > (own.cents ?? 0) + (own.feeCents ?? 0) ? 'too much' : 'a part';
  }

  /** Returns the sum. */
  private add({ family, reference }: JournalPayment, cents: number): number {
    const place = this.payments.find(family, reference);
    if (place === undefined) {
      const name = `${family} ${reference}`;
      const sum = (this.ofOthers.get(name) ?? 0) + cents;
      this.ofOthers.set(name, sum);
      return sum;
    }
    this.ofDay ??= new Float64Array(this.payments.size);
    const sum = (this.ofDay[place] ?? 0) + cents;
    this.ofDay[place] = sum;
    return sum;
  }
}

/** Whether a row alone takes back what a payment moved. */
export function takesBack(own: JournalPayment, row: RowMoney): boolean {
  return movesBack(own, row) && isBack(own, Math.abs(row.cents));
}

function movesBack(own: JournalPayment, row: RowMoney): boolean {
  // The journal says so, too; or the row is that of an earlier attempt, which the journal says the same of.
  const isKnown = (own.state === 'none' && hasOutcome(own)) || isBeforeLastAttempt(own, row);
  return !isKnown && familyTakenBack(row) === own.family;
}

/**
 * Whether so much of a payment came back that it may not count as made. The fee of a payout may be given back, and of a collection
 * somebody may take a levy. Whatever is more may be a part of the whole, whose rest comes on another day.
 */
function isBack({ family, cents, feeCents = 0 }: JournalPayment, back: number): boolean {
  if (cents === undefined) return true;
  const harmless = family === 'collection' ? Math.max(feeCents, cents / LEVY_PART) : feeCents;
  // A small payout with a large fee may come back less the fee.
  return back > harmless || 2 * back >= cents - feeCents;
}
