import { type InboxScope, type SetAsideKind } from '../common/vocabulary.js';
import { type AccountPage, type AccountPageStart } from './account-page.js';

/**
 * A verified delivery that is stored instead of handled.
 *
 * @publicApi
 */
export interface SetAsideDelivery extends InboxScope {
  /** Why it is not handled. */
  readonly kind: SetAsideKind;
  /** Event name. */
  readonly event: string;
  /** The merchant's reference. */
  readonly reference: string;
  /**
   * SHA-256 (hex) that tells one delivery from another of its kind: of event, reference, amount, currency,
   * status and, if a success names one, the provider reference. `unrecognized`: of the body.
   */
  readonly fingerprint: string;
  /** The verified event as JSON text: names and phone numbers are in it. */
  readonly payload: string;
}

/**
 * A stored delivery that waits for somebody to look at it.
 *
 * @publicApi
 */
export interface InboxConflict extends SetAsideDelivery {
  /** Opaque; `PaymentsInbox.release` takes it. A delivery that is set aside again after its release has another id. */
  readonly id: string;
  /** How often it was delivered. */
  readonly seen: number;
  /** Milliseconds since 1970. */
  readonly firstSeenAt: number;
  /**
   * Why the event cannot be read; absent if it can. It cannot be released. A payload that cannot be opened stays sealed; of an
   * event that the storage has lost, `event`, `reference` and `payload` are empty.
   */
  readonly damaged?: string;
}

/**
 * The conflicts: events that were set aside, whatever the reason. The store keeps each of them whole until
 * somebody decides.
 *
 * Every method rejects when the store cannot be reached.
 *
 * @publicApi
 */
export interface ConflictStore {
  /**
   * Stores an event. An event whose account, environment, `kind` and `fingerprint` are stored already is the
   * same entry: the store adds 1 to `seen`, takes the new payload, and keeps `id` and `firstSeenAt`.
   */
  setAside(delivery: SetAsideDelivery): Promise<void>;
  /**
   * One page of entries, oldest first. An entry that stays in the store from the first page to the last is
   * listed exactly once.
   *
   * @param page.after The last `id` of the page before, whether or not that entry is still there.
   * @param page.limit How many entries at most.
   * @throws PaymentsValidationError if `after` is no such id.
   */
  list(
    scope: InboxScope,
    page: { readonly after?: string; readonly limit: number },
  ): Promise<readonly InboxConflict[]>;
  /** The entry with this id; undefined if this scope has none. */
  get(scope: InboxScope, id: string): Promise<InboxConflict | undefined>;
  /**
   * Replaces the payload of an entry, unless it was delivered again (`seen`), or removed, since it was read.
   *
   * @returns Whether it was replaced.
   */
  replacePayload(entry: InboxConflict, payload: string): Promise<boolean>;
  /** Removes the entry with this id; does nothing if this scope has none. */
  remove(scope: InboxScope, id: string): Promise<void>;
  /**
   * Removes the entries of one kind that were first seen more than `olderThanMs` ago, in batches if there are many.
   *
   * @returns How many entries were removed.
   */
  purge(scope: InboxScope, kind: SetAsideKind, olderThanMs: number): Promise<number>;
  /**
   * The accounts and environments of which the store holds an event, each once, in an order of the store's own. It may also
   * list those of which it held something before. An account that is there from the first page to the last is listed.
   * A page costs about the same wherever it begins, and however much an account has.
   *
   * @param page At most `limit` of them, beginning at `after`: `next` of the page before.
   */
  accounts(page: AccountPageStart): Promise<AccountPage>;
}
