import { type MoneyOperation } from './operations.js';
import { type JournalState, type OutcomeEvidence, type OutcomeOf, type PaymentFamily } from './vocabulary.js';

/**
 * What an application sees of a payment in the journal.
 *
 * @publicApi
 */
export interface JournalEntry<F extends PaymentFamily = PaymentFamily> {
  /** Name of the merchant account. */
  readonly account: string;
  /** Money in, or money out. */
  readonly family: F;
  /** Which operation was called. */
  readonly operation: MoneyOperation;
  /** The merchant's reference. */
  readonly reference: string;
  /** Two-decimal string. */
  readonly amount: string;
  /** 1, and one more after every final refusal. */
  readonly attempt: number;
  /** The `Idempotency-Key` of the current attempt, for the gateway's support. */
  readonly idempotencyKey: string;
  /** The state of the payment. */
  readonly state: JournalState;
  /** How the payment ended; present if it is settled. */
  readonly outcome?: OutcomeOf<F>;
  /**
   * Present if it was refused. True: no money moved. False: the refusal does not prove that, so ask the gateway, or make
   * the same call again, which keeps the key.
   */
  readonly final?: boolean;
  /** Why the outcome is unknown; present if it is. */
  readonly evidence?: OutcomeEvidence;
  /** When the payment was written down for the first time. */
  readonly createdAt: Date;
  /** When the entry last changed. */
  readonly updatedAt: Date;
  /**
   * Why the journal cannot read the entry; absent if it can. Fields that it cannot read are empty texts
   * then, and nothing is ever sent for it: find out what happened to the payment, then write it down with
   * `PaymentsJournal.settle()`.
   */
  readonly damaged?: string;
}

/**
 * The entry of a payment that has ended.
 *
 * @publicApi
 */
export interface SettledJournalEntry<F extends PaymentFamily = PaymentFamily> extends JournalEntry<F> {
  /** It ended. */
  readonly state: 'settled';
  /** How the payment ended. */
  readonly outcome: OutcomeOf<F>;
}
