import { type InboxKind, type InboxScope } from '../common/vocabulary.js';
import { type JournalStore } from './journal-store.js';
import { type AccountPage, type AccountPageStart } from './account-page.js';

/**
 * Where an inbox entry belongs.
 *
 * @publicApi
 */
export interface InboxKey extends InboxScope {
  /** What the entry is about. */
  readonly kind: InboxKind;
  /**
   * `outcome`: the merchant's reference. `unrecognized`: the SHA-256 (hex) of the body. Otherwise the
   * fingerprint of what was set aside.
   */
  readonly reference: string;
}

/**
 * One verified delivery, as the inbox compares it.
 *
 * @publicApi
 */
export interface InboxDelivery {
  /** Where the delivery belongs. */
  readonly key: InboxKey;
  /** Event name. */
  readonly event: string;
  /** SHA-256 (hex) over event, reference, amount, currency and status. */
  readonly fingerprint: string;
  /**
   * SHA-256 (hex) of the provider's transaction reference, if a success names one. Another one under the same
   * fingerprint is another outcome: the customer may have been charged twice. An absent one differs from none, and the
   * entry takes over the first one that comes.
   */
  readonly providerReference?: string;
  /** Fingerprints of other outcomes of this reference that this one may replace; `any` when an operator releases it. */
  readonly replaces: readonly string[] | 'any';
  /**
   * The journal says that a webhook has settled this payment. An entry that is not there was handled and then
   * purged, so nothing is claimed without one.
   */
  readonly mustExist?: boolean;
}

/**
 * The right to run the handlers for one delivery. It ends with `finish`, `fail` or `withdraw`, or when the
 * lease runs out.
 *
 * @publicApi
 */
export interface InboxClaim {
  /** 1 for the first run of the handlers. */
  readonly attempt: number;
  /** Names of the handlers that finished in earlier runs and are not to run again. */
  readonly finished: readonly string[];
  /** The open database transaction, if the storage commits its record together with the handlers' writes. */
  readonly transaction?: unknown;
  /** The journal inside that transaction; present if `transaction` is. */
  readonly journal?: JournalStore;
  /**
   * Calls a function that runs the handlers, and returns what it returns. A storage that has this method can
   * tell which of the application's statements come from the handlers. Without it they are just called.
   */
  within?<T>(handlers: () => T): T;
  /**
   * Remembers that one of several handlers finished. In a transaction there is nothing to remember: what the
   * handler wrote is undone with everything else.
   *
   * @returns False: the lease was lost, and somebody else decides.
   */
  mark(handler: string): Promise<boolean>;
  /**
   * Records the work as done; commits the transaction. Also true if this claim had recorded it before:
   * a caller that lost the first answer may ask again. False: the lease was lost, and somebody else decides.
   */
  finish(): Promise<boolean>;
  /**
   * Ends the claim without success, so that the next delivery runs the handlers that have not finished; rolls the
   * transaction back. Changes nothing once the lease was lost.
   */
  fail(): Promise<void>;
  /**
   * Forgets the entry, as if the delivery had never been claimed: the journal knows better what becomes of
   * it. Undoes the transaction. Changes nothing once the lease was lost.
   */
  withdraw(): Promise<void>;
}

/**
 * What the inbox says about a delivery.
 *
 * - `claimed`: run the handlers; `claim` is the right to.
 * - `done`: they ran before; nothing to do.
 * - `busy`: they run elsewhere right now, under a lease that holds for `leaseLeftMs` milliseconds more.
 * - `conflict`: this reference has another outcome, amount or provider reference already: that of `existingEvent`.
 * - `missing`: there is no entry, and `mustExist` asked for one.
 *
 * @publicApi
 */
export type ClaimResult =
  | { readonly result: 'claimed'; readonly claim: InboxClaim }
  | { readonly result: 'done' }
  | { readonly result: 'busy'; readonly leaseLeftMs: number }
  | { readonly result: 'conflict'; readonly existingEvent: string }
  | { readonly result: 'missing' };

/**
 * The inbox: one entry per payment outcome, claimed by one worker at a time.
 *
 * Every method rejects when the store cannot be reached; the delivery is then answered 503.
 *
 * @publicApi
 */
export interface InboxStore {
  /**
   * Takes the right to handle a delivery, atomically among all replicas that share the store. An expired claim of the
   * same delivery may be taken over; its holder can then change nothing.
   *
   * @param leaseMs How long the claim holds, by the store's own clock.
   */
  claim(delivery: InboxDelivery, leaseMs: number): Promise<ClaimResult>;
  /** Resolves when the running claim of an entry ends, or after `timeoutMs`. */
  waitForRelease(key: InboxKey, timeoutMs: number): Promise<void>;
  /** Forgets finished entries older than `olderThanMs`, in batches if there are many. Resolves to how many. */
  purge(scope: InboxScope, olderThanMs: number): Promise<number>;
  /**
   * The accounts and environments of which the store holds an entry, each once, in an order of the store's own. It may also
   * list those of which it held something before. An account that is there from the first page to the last is listed.
   * A page costs about the same wherever it begins, and however much an account has.
   *
   * @param page At most `limit` of them, beginning at `after`: `next` of the page before.
   */
  accounts(page: AccountPageStart): Promise<AccountPage>;
}
