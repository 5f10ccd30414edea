import { type InboxScope } from '../common/vocabulary.js';

/**
 * What an entry is.
 *
 * - `balance`: a reading of the wallet's balance.
 * - `close`: a day that was closed.
 * - `run`: the lease of the process that closes a day.
 * - `exception`: a difference that somebody has to look at.
 * - `carried`: payments that the next close has to look at again.
 * - `proposals`: what the statement of a close proves.
 * - `evidence`: the row by which a payment was settled.
 */
export type ReconciliationKind =
  'balance' | 'close' | 'run' | 'exception' | 'carried' | 'proposals' | 'evidence';

/** An entry as it is written. Holds no personal data. */
export interface ReconciliationEntry extends InboxScope {
  readonly kind: ReconciliationKind;
  /**
   * Unique among the entries of its kind in an account and environment: 1 to 128 printable ASCII characters. Entries are in
   * the order of its bytes.
   */
  readonly id: string;
  /** 1 to 32 lower-case letters and dashes. */
  readonly state: string;
  /** A JSON object that only `nestjs-payments/reconciliation` reads. */
  readonly details: string;
}

/** An entry as the storage has it. Times are milliseconds since 1970 by the storage's clock. */
export interface StoredReconciliationEntry {
  readonly entry: ReconciliationEntry;
  /** 1 at first, and one more after every change. */
  readonly version: number;
  readonly createdAt: number;
  readonly updatedAt: number;
  /** The storage's clock when it was read. */
  readonly now: number;
}

/** Which entries of a kind, in the order of their ids. */
export interface ReconciliationPage {
  /** Only entries with a greater id. */
  readonly after?: string;
  /** Only entries in one of these states; absent: in any. */
  readonly states?: readonly string[];
  readonly limit: number;
}

/**
 * What reconciliation keeps. Every method rejects with a `PaymentsStorageError` if the storage fails; then nothing or all
 * of it was written.
 */
export interface ReconciliationStore {
  /**
   * Writes the entries that are not there yet, all in one transaction; existing ones stay as they are, so it may be called
   * again after an error. Of several with one id, the first one counts. At most 1,000.
   */
  add(entries: readonly ReconciliationEntry[]): Promise<void>;
  /** Undefined if there is none. */
  get(
    scope: InboxScope,
    kind: ReconciliationKind,
    id: string,
  ): Promise<StoredReconciliationEntry | undefined>;
  /** Replaces state and details of an entry. Undefined if it has another version, or is gone. */
  replace(version: number, entry: ReconciliationEntry): Promise<StoredReconciliationEntry | undefined>;
  /** The entries of a kind, in the order of their ids. */
  list(
    scope: InboxScope,
    kind: ReconciliationKind,
    page: ReconciliationPage,
  ): Promise<readonly StoredReconciliationEntry[]>;
  /** The entry with the greatest id below `before`, in one of these states. */
  last(
    scope: InboxScope,
    kind: ReconciliationKind,
    before: string,
    states: readonly string[],
  ): Promise<StoredReconciliationEntry | undefined>;
  /**
   * Removes the entries of a kind in these states that did not change for `olderThanMs`, in several transactions if there are
   * many. Returns how many.
   */
  purge(
    scope: InboxScope,
    kind: ReconciliationKind,
    states: readonly string[],
    olderThanMs: number,
  ): Promise<number>;
}
