import { type RowMoney } from './classify-payment.js';
import { type JournalPayment } from './journal-payment.js';
import { type OtherMoney } from './row-money.js';

/** What a close learns from the rows, one after the other. */
export interface MatchListener {
  /**
   * A payment and its row.
   *
   * @param isOfException What the row proves belongs to an exception, and not to the list of the close.
   */
  matched(own: JournalPayment, row: RowMoney, isOfException: boolean): void;
  /** A row of a payment that is not certain: nobody knows it, or it comes twice. */
  doubtful(row: RowMoney): void;
  /** A row that takes back what another one says. */
  takenBack(row: RowMoney): void;
  /** Money that is no payment. It may have moved after the end of the day. */
  other(money: OtherMoney): void;
}
