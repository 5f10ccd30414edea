import { PAYMENT_FAMILIES } from '../../common/vocabulary.js';
import { CentsSum } from '../balance/cents-sum.js';
import { type StatementRow } from '../statement/statement-row.js';
import { type RowMoney } from './classify-payment.js';
import { type JournalPayments } from './journal-payments.js';
import { type MatchListener } from './match-listener.js';
import { type OtherMoney, otherMoney } from './row-money.js';

/** A fee whose reference is of no payment of the day. It waits for the end of the statement. */
interface OpenFee {
  readonly reference: string;
  readonly money: OtherMoney;
}

/** The end of a reference that is made from another one: `order-1-FEE`. */
const SUFFIX = /[-_/.][^-_/.]*$/;

/** The payments of which a fee may be: that with its reference, and that with the one from which its own is made. */
export function feeReferences(reference: string): readonly [string, ...string[]] {
  const origin = reference.replace(SUFFIX, '');
  return origin === reference || origin === '' ? [reference] : [reference, origin];
}

/** The rows of a day that are no payments. */
export class OtherRows {
  /** What is certain. */
  readonly certain = new CentsSum();
  /** Fees that a payment may have already. */
  readonly doubtfulFees = new CentsSum();
  readonly openFees: OpenFee[] = [];

  constructor(
    private readonly payments: JournalPayments,
    private readonly listener: Pick<MatchListener, 'other'>,
    /** So many fees are looked up. The others are doubtful. */
    private readonly mostOpen: number,
  ) {}

  /** Returns whether the row names a payment of the day. */
  take(given: StatementRow, money: RowMoney): boolean {
    const { reference } = given;
    const other = otherMoney(given, money);
    if (reference === undefined) {
      this.add(other);
      return false;
    }
    const isKnown = feeReferences(reference).some((one) => this.isOfDay(one));
    const isOpen = other.isDoubtful && !isKnown && this.openFees.length < this.mostOpen;
    if (isOpen) this.openFees.push({ reference, money: other });
    else this.add(other);
    return this.isOfDay(reference);
  }

  private isOfDay(reference: string): boolean {
    return PAYMENT_FAMILIES.some((family) => this.payments.find(family, reference) !== undefined);
  }

  /** Takes an open fee. Its reference may be that of nothing but the fee. */
  takeFee({ money }: OpenFee, isOfPayment: boolean): void {
    this.add({ ...money, isDoubtful: isOfPayment });
  }

  private add(other: OtherMoney): void {
    (other.isDoubtful ? this.doubtfulFees : this.certain).add(other.cents);
    this.listener.other(other);
  }
}
