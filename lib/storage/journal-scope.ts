import { type PaymentFamily, type PaymentsEnvironment } from '../common/vocabulary.js';

/**
 * The payments of one merchant account that share their references.
 *
 * @publicApi
 */
export interface JournalScope {
  /** Name of the merchant account. */
  readonly account: string;
  /** Which environment the account's keys belong to. */
  readonly environment: PaymentsEnvironment;
  /** Money in, or money out. */
  readonly family: PaymentFamily;
}

/**
 * One payment.
 *
 * @publicApi
 */
export interface JournalKey extends JournalScope {
  /** The merchant's reference. */
  readonly reference: string;
}
