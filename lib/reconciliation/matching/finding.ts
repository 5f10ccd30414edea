import { type PaymentFamily } from '../../common/vocabulary.js';
import { type ExceptionKind } from '../exceptions/close-exception.js';
import { type PaymentRow } from './row-money.js';
import { type RowMoney } from './classify-payment.js';
import { type JournalPayment } from './journal-payment.js';

/** A difference that a close has found. */
export interface Finding {
  readonly kind: ExceptionKind;
  readonly family: PaymentFamily | undefined;
  readonly reference: string | undefined;
  readonly own?: JournalPayment;
  readonly row?: RowMoney;
  /** How the row found its payment, if not by its reference. */
  readonly isLoose?: boolean;
  /**
   * What the row contradicts: an earlier one about the same attempt, that nothing moved before the last attempt, when the payment
   * was sent, or that its money came in once.
   */
  readonly contradicts?: 'row' | 'attempts' | 'send' | 'sign';
  /** The journal has forgotten the payment. */
  readonly isForgotten?: boolean;
  /** In cents; of a balance. */
  readonly gap?: number;
  readonly hint?: string;
}

export function familyOf({ kind }: Pick<PaymentRow, 'kind'>): PaymentFamily {
  return kind === 'collection' ? 'collection' : 'disbursement';
}
