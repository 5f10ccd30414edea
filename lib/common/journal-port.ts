import { type PaymentsEnvironment } from './account.js';
import { type MoneyOperation, type PaymentFamily } from './operations.js';
import { type OutcomeEvidence } from './outcome-evidence.js';
import { type PaymentOutcome } from './statuses.js';

/**
 * Where a payment stands in the journal.
 *
 * - `in-flight`: written down, and nobody has said what came of it.
 * - `accepted`: the gateway took it; its outcome is still to come.
 * - `rejected`: the gateway definitely refused, so the reference may be tried again.
 * - `unknown`: money may have moved.
 * - `settled`: it ended with `outcome`.
 *
 * @publicApi
 */
export type JournalState = 'in-flight' | 'accepted' | 'rejected' | 'unknown' | 'settled';

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

/**
 * What an application sees of a payment in the journal.
 *
 * @publicApi
 */
export interface JournalEntry {
  /** Name of the merchant account. */
  readonly account: string;
  /** Money in, or money out. */
  readonly family: PaymentFamily;
  /** Which operation was called. */
  readonly operation: MoneyOperation;
  /** The merchant's reference. */
  readonly reference: string;
  /** Two-decimal string. */
  readonly amount: string;
  /** 1, and one more after every definite refusal. */
  readonly attempt: number;
  /** The `Idempotency-Key` of the current attempt, for the gateway's support. */
  readonly idempotencyKey: string;
  /** Where the payment stands. */
  readonly state: JournalState;
  /** How the payment ended; present where it is settled. */
  readonly outcome?: PaymentOutcome;
  /** Why it is not known what came of it; present where it is unknown. */
  readonly evidence?: OutcomeEvidence;
  /** When the payment was written down for the first time. */
  readonly createdAt: Date;
  /** When the entry last changed. */
  readonly updatedAt: Date;
}

/**
 * Which wait comes before the one further try with the same key: after an answer that says nothing, or after silence.
 *
 * @publicApi
 */
export type ProbeWait = 'after-answer' | 'after-silence';

/**
 * What the journal keeps of a payment. A store writes and reads it whole; no field means anything to it but the key,
 * `state` and `attempt`.
 *
 * @publicApi
 */
export interface JournalRecord extends JournalKey {
  /** Which operation was called. */
  readonly operation: MoneyOperation;
  /** Canonical money string. */
  readonly amount: string;
  /** The only currency of the gateway. */
  readonly currency: 'TZS';
  /** 1, and one more after every definite refusal. */
  readonly attempt: number;
  /** The `Idempotency-Key` of the current attempt. */
  readonly idempotencyKey: string;
  /**
   * Which call wrote the attempt down: one that was told that its writing failed takes back what was written after all, and
   * nobody else's.
   */
  readonly intent: string;
  /** What repeated calls are compared by; begins with the version of the way it was made. */
  readonly bodyHash: string;
  /** Where the payment stands. */
  readonly state: JournalState;
  /** How the payment ended; present where it is settled. */
  readonly outcome?: PaymentOutcome;
  /** Who said how it ended. */
  readonly settledBy?: 'webhook' | 'status' | 'operator';
  /** Why it is not known what came of it; present where it is unknown. */
  readonly evidence?: OutcomeEvidence;
  /** The one further try that is still open; absent where there is none. */
  readonly probe?: ProbeWait;
  /** The request as it was sent, until it is not needed any more: names and phone numbers are in it. */
  readonly body?: string;
  /** The gateway's success answer as JSON text: names and phone numbers are in it. */
  readonly answer?: string;
  /** `payment.stale` was announced. */
  readonly stale?: true;
}

/**
 * A record as it stands in a store. All times are by the store's own clock.
 *
 * @publicApi
 */
export interface StoredJournalRecord {
  /** The record as it was written. */
  readonly record: JournalRecord;
  /** Another one after every change, and never one that this payment had before. */
  readonly version: number;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  /** Milliseconds since 1970. */
  readonly updatedAt: number;
  /** Milliseconds since the current attempt was written down. */
  readonly ageMs: number;
  /** Milliseconds since the last change. */
  readonly idleMs: number;
  /** How long nobody else may act on the payment; 0: anybody may. */
  readonly leaseLeftMs: number;
}

/**
 * What a journal may forget: settled payments, refused ones, payouts that the gateway took. Nothing else ever.
 *
 * @publicApi
 */
export type ForgettablePayments = 'settled' | 'rejected' | 'accepted-payouts';

/**
 * One page of a list.
 *
 * @publicApi
 */
export interface JournalPage {
  /** The records of this page, oldest first. */
  readonly entries: readonly StoredJournalRecord[];
  /** Opaque: where the next page begins; absent on the last one. */
  readonly next?: string;
}

/**
 * The journal: every payment is written down before it is sent. Each change names the version that it changes, so that
 * of two writers one learns that it was too late. A store decides nothing else.
 *
 * Every method rejects when the store cannot be reached.
 *
 * @publicApi
 */
export interface JournalStore {
  /**
   * Writes a payment down, unless its key stands already.
   *
   * @param leaseMs How long nobody else may act on it.
   * @returns What stands now (`stored`), and whether it is what was to be written (`inserted`).
   */
  insert(
    record: JournalRecord,
    leaseMs: number,
  ): Promise<{ readonly inserted: boolean; readonly stored: StoredJournalRecord }>;
  /** The record of a payment; undefined where none was written down. */
  get(key: JournalKey): Promise<StoredJournalRecord | undefined>;
  /**
   * Puts a record in the place of the one with this version. Its age begins anew where `attempt` changes.
   *
   * @param leaseMs How long nobody else may act on it; 0 ends a lease.
   * @returns Undefined where the version does not stand any more.
   */
  replace(version: number, record: JournalRecord, leaseMs: number): Promise<StoredJournalRecord | undefined>;
  /** Takes a payment out. False where the version does not stand any more. */
  remove(key: JournalKey, version: number): Promise<boolean>;
  /**
   * The payments in one state, oldest first by `createdAt`. One that stays in that state between the first page and
   * the last comes exactly once.
   *
   * @param page At most `limit` of them, beginning at `after`: `next` of the page before.
   */
  list(
    scope: JournalScope,
    state: JournalState,
    page: { readonly after?: string; readonly limit: number },
  ): Promise<JournalPage>;
  /** Forgets such payments that did not change for `olderThanMs`, in batches where there are many. Resolves to how many. */
  purge(
    scope: Pick<JournalScope, 'account' | 'environment'>,
    what: ForgettablePayments,
    olderThanMs: number,
  ): Promise<number>;
}
