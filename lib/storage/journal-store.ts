import { type MoneyOperation } from '../common/operations.js';
import {
  type JournalState,
  type OutcomeEvidence,
  type PaymentOutcome,
  type ProbeWait,
} from '../common/vocabulary.js';
import { type AccountPage, type AccountPageStart } from './account-page.js';
import { type CountedPayment, type DailyCapReached, type DailyShare } from './daily-cap.js';
import { type JournalKey, type JournalScope } from './journal-scope.js';

export { type JournalKey, type JournalScope } from './journal-scope.js';

/**
 * What the journal keeps of a payment. A store writes and reads it whole; no field means anything to it but the key,
 * `state`, `attempt` and `intent`, and, if it leaves a tombstone, `outcome`, `settledBy` and `keepsKey`.
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
  /** 1, and one more after every refusal without `keepsKey`. */
  readonly attempt: number;
  /** The `Idempotency-Key` of the current attempt. */
  readonly idempotencyKey: string;
  /** The call that wrote the attempt down. If the store fails and writes anyway, it removes its own record and no other. */
  readonly intent: string;
  /** What repeated calls are compared by; begins with the version of the way it was made. */
  readonly bodyHash: string;
  /** The state of the payment. */
  readonly state: JournalState;
  /** How the payment ended; present if it is settled. */
  readonly outcome?: PaymentOutcome;
  /**
   * When it was settled, in milliseconds since 1970 by the store's clock; absent if the last change settled it. What is
   * written after that, for example sealed with another key, ended no later for it.
   */
  readonly endedAt?: number;
  /** Who said how it ended; `status`: the gateway, in a status answer or in its answer to the call. */
  readonly settledBy?: 'webhook' | 'status' | 'operator';
  /** SHA-256 (hex) of the provider's transaction reference, if the webhook of a success named one. */
  readonly providerReference?: string;
  /** Why the outcome is unknown; present if it is. */
  readonly evidence?: OutcomeEvidence;
  /**
   * A refusal of this attempt did not prove that no money moved: while it is `rejected`, the next call sends the same
   * attempt again, with its key. Stays until the next attempt: a failure may be that of the refused try.
   */
  readonly keepsKey?: true;
  /** Only answers that turned the attempt away, and cannot refuse a payment, made it keep its key. */
  readonly turnedAway?: true;
  /** The one further try that is still open; absent if there is none. */
  readonly probe?: ProbeWait;
  /**
   * The call itself reported that its request began to leave. `recover()` sends nothing without it: the caller
   * that wrote the payment down may have got the answer that nothing was sent.
   */
  readonly sent?: true;
  /** The request as it was sent, until it is not needed any more: names and phone numbers are in it. */
  readonly body?: string;
  /** The gateway's success answer as JSON text: names and phone numbers are in it. */
  readonly answer?: string;
  /**
   * The gateway said that it has the payment: in a status answer, by refusing a duplicate, or in a webhook that
   * was set aside. A success answer sets `answer` instead. An operator's `failed` then does not free the
   * reference. If it was written down before, the gateway contradicts it, and the payment is unknown again
   * (`conflict`).
   */
  readonly acknowledged?: true;
  /**
   * When the attempt was planned, in milliseconds since 1970; present from the first time that it is sent. If nothing is
   * sent, it is planned again.
   */
  readonly plannedAt?: number;
  /** When the attempt began, in milliseconds since 1970 by the clock of its process: that of the store may be set back. */
  readonly begunAtByProcess?: number;
  /** The option `baseUrl` of the attempt: a probe goes to no other gateway. Absent once it was answered. */
  readonly baseUrl?: string;
  /** `payment.stale` was announced. */
  readonly stale?: true;
  /** The attempt counts towards a daily cap: that of `countedOn`, or else that of the day on which it began. */
  readonly counted?: true;
  /** The day on which the attempt was counted, as `dailyCapDay` counts it. A record that was just written lacks it. */
  readonly countedOn?: number;
  /** The person was erased: there is no request and no answer, and `bodyHash` is empty. */
  readonly erased?: true;
}

/**
 * A record as a store holds it. All times are by the store's own clock.
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
  /** Milliseconds since a call wrote the current attempt down, the last one if several made the same attempt. */
  readonly ageMs: number;
  /** Milliseconds since the last change. */
  readonly idleMs: number;
  /** How long nobody else may act on the payment, no longer than its last change granted; 0: any process may. */
  readonly leaseLeftMs: number;
  /**
   * Why the record cannot be read; absent if it can. If it cannot, only its key, `state` and `attempt` are certain,
   * and nothing is ever sent for it.
   */
  readonly damaged?: string;
  /** It is `damaged` only for now: the key service of the option `encryption` did not answer. A store never sets it. */
  readonly unavailable?: true;
}

/**
 * What a journal may forget: settled payments, refused ones, payouts that the gateway took. Nothing else ever.
 *
 * @publicApi
 */
export type ForgettablePayments = 'settled' | 'rejected' | 'accepted-payouts';

/**
 * What a journal keeps of a payment that it has forgotten, under a hash of its key: no reference, no personal
 * data, and enough that the payment is never made a second time.
 *
 * @publicApi
 */
export interface PaymentTombstone {
  /** The last attempt. */
  readonly attempt: number;
  /**
   * How the payment ended, or what was known of one that had not ended. `unlisted-refusal`: it
   * was refused without a listed code, or turned away (`keepsKey`), so it may have been made anyway.
   */
  readonly end: PaymentOutcome | 'accepted' | 'rejected' | 'unlisted-refusal';
  /** Who said how it ended; absent if it had not ended. */
  readonly settledBy?: JournalRecord['settledBy'];
}

/**
 * How a payment ended after the journal had forgotten it.
 *
 * @publicApi
 */
export interface TombstoneEnd {
  /** How it ended. */
  readonly end: PaymentOutcome;
  /** Who said so. */
  readonly settledBy: NonNullable<JournalRecord['settledBy']>;
}

/**
 * The result of writing a payment down.
 *
 * @publicApi
 */
export type JournalInsertion =
  /** `inserted`: it was written. Else its key is taken, by `stored`. */
  | { readonly inserted: boolean; readonly stored: StoredJournalRecord; readonly tombstone?: undefined }
  /** It was not written: the journal has forgotten a payment with this key. */
  | { readonly inserted: false; readonly stored?: undefined; readonly tombstone: PaymentTombstone };

/**
 * One page of a list.
 *
 * @publicApi
 */
export interface JournalPage {
  /** The records of this page, oldest first. */
  readonly entries: readonly StoredJournalRecord[];
  /** Opaque: the start of the next page; absent on the last one. */
  readonly next?: string;
}

/**
 * The journal inside of a transaction of the application. What it writes is committed with the transaction, or undone
 * with it.
 *
 * @publicApi
 */
export type JournalInTransaction = Pick<JournalStore, 'insert' | 'replace'>;

/**
 * Writes payments that count towards the daily cap of their scope. A store keeps one counter for each scope: its day, and
 * the number and the sum of the payments that were counted on it. The counter begins at 0 again with the first payment of
 * a later day. If the store's clock goes back by a day or less, the day of the counter stays; if by more, the counter begins
 * at 0 again, so that a clock that was ahead once does not close an account.
 *
 * A payment is written and counted together, or not at all. Of many that come at the same time, exactly those are written
 * for which the day has room.
 *
 * @publicApi
 */
export interface DailyCapStore {
  /**
   * As `JournalStore.insert`, if the day has room for the payment. An existing record and a tombstone come before the cap:
   * they count nothing.
   */
  insert(
    record: JournalRecord,
    leaseMs: number,
    share: DailyShare,
  ): Promise<(JournalInsertion & CountedPayment) | DailyCapReached>;
  /** As `JournalStore.replace`, if the day has room for the payment. Another version comes before the cap. */
  replace(
    version: number,
    record: JournalRecord,
    leaseMs: number,
    share: DailyShare,
  ): Promise<(StoredJournalRecord & CountedPayment) | DailyCapReached | undefined>;
  /** Takes one payment out of the counter, if the counter is still of this day. Number and sum never go below 0. */
  release(scope: JournalScope, day: number, cents: number): Promise<void>;
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
   * Writes a payment down, unless its key has a record or a tombstone already.
   *
   * @param leaseMs How long nobody else may act on it.
   */
  insert(record: JournalRecord, leaseMs: number): Promise<JournalInsertion>;
  /** The record of a payment; undefined if none was written down. */
  get(key: JournalKey): Promise<StoredJournalRecord | undefined>;
  /**
   * Replaces the record that has this version. The age of the attempt begins at 0 again if `attempt` or `intent`
   * changes.
   *
   * @param leaseMs How long nobody else may act on it; 0 ends a lease.
   * @returns Undefined if the record no longer has this version.
   */
  replace(version: number, record: JournalRecord, leaseMs: number): Promise<StoredJournalRecord | undefined>;
  /** Removes a record. False if it no longer has this version. */
  remove(key: JournalKey, version: number): Promise<boolean>;
  /**
   * The payments that are in none of these states, also in one that only a newer version of the package knows. The oldest comes
   * first: by `createdAt`, or as they were written if the store's clock has gone back. No payment comes twice, and one that stays
   * in the other states between the first page and the last comes once. A page costs about the same wherever it begins.
   *
   * @param page At most `limit` of them, beginning at `after`: `next` of the page before. With `from`, only those that were
   * created then or later, in milliseconds since 1970 by the store's clock. Every page of a list names the same `from`.
   */
  list(
    scope: JournalScope,
    except: readonly JournalState[],
    page: { readonly after?: string; readonly from?: number; readonly limit: number },
  ): Promise<JournalPage>;
  /**
   * What is left of a payment that was forgotten; undefined if none was. A key has a record or a tombstone, never both for
   * longer than one call of `insert` takes. One exception: a transaction that could not see the tombstone may plan a payment
   * beside it, which is removed before it is sent.
   */
  tombstone(key: JournalKey): Promise<PaymentTombstone | undefined>;
  /** Writes down how a forgotten payment ended after all, in its tombstone; nothing happens if there is none. */
  endTombstone(key: JournalKey, ended: TombstoneEnd): Promise<void>;
  /**
   * Forgets such payments that did not change for `olderThanMs`, in batches if there are many, and leaves a tombstone for
   * each. Its `end` is the `outcome` of a settled payment, `unlisted-refusal` of a refused one with `keepsKey`, `rejected` of
   * any other refused one, and `accepted` otherwise: a wrong one would advise to pay again. `tombstones`: takes away those that
   * were left longer ago. Resolves to how many. A payment that another operation holds then may be left to the next purge.
   */
  purge(
    scope: Pick<JournalScope, 'account' | 'environment'>,
    what: ForgettablePayments | 'tombstones',
    olderThanMs: number,
  ): Promise<number>;
  /**
   * The accounts and environments of which the store holds a payment or a tombstone, each once, in an order of the store's own. It may also
   * list those of which it held something before. An account that is there from the first page to the last is listed.
   * A page costs about the same wherever it begins, and however much an account has.
   *
   * @param page At most `limit` of them, beginning at `after`: `next` of the page before.
   */
  accounts(page: AccountPageStart): Promise<AccountPage>;
  /**
   * The journal inside of a transaction that the application began on the same database. Absent if the storage has no
   * transactions: the boot looks for it. Rejects with a `PaymentsConfigError` if `transaction` is none, or one of another
   * database: a payment written there would never be sent.
   *
   * @param transaction The application's own object, for example the `PoolClient` of `pg` after BEGIN.
   */
  readonly within?: ((transaction: unknown) => Promise<JournalInTransaction>) | undefined;
  /** Counts payments towards daily caps. Absent: the option `limits.….perDay` stops the boot. */
  readonly dailyCaps?: DailyCapStore | undefined;
}
