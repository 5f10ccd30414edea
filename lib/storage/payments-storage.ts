import { type BatchStore } from './batch-store.js';
import { type ConflictStore } from './conflict-store.js';
import { type InboxStore } from './inbox-store.js';
import { type JournalStore } from './journal-store.js';
import { type ReconciliationStore } from './reconciliation-store.js';

/**
 * What the package remembers, and where.
 *
 * @publicApi
 */
export interface PaymentsStorage {
  /** Name for boot messages, for example `memory`. */
  readonly name: string;
  /** Which webhook deliveries were handled. */
  readonly inbox: InboxStore;
  /** Which payments were begun, and how they ended. */
  readonly journal: JournalStore;
  /** Which webhook deliveries were set aside instead of handled. */
  readonly conflicts: ConflictStore;
  /**
   * Batches of payouts and their lines. Absent: `PayoutBatchesModule` cannot use this storage.
   *
   * @internal
   */
  readonly batches?: BatchStore;
  /**
   * Balances, closes and exceptions. Absent: `ReconciliationModule` cannot use this storage.
   *
   * @internal
   */
  readonly reconciliation?: ReconciliationStore;
  /**
   * What the application should know of the way in which it uses the storage, each as a whole sentence. The package logs
   * them once at boot.
   */
  readonly warnings?: readonly string[];
  /**
   * Prepares the storage for use. The package calls it at boot, once for each account that uses the storage. If it
   * rejects, the application does not start. The options of a module are made once in a process, so the next application
   * opens the storage again after `close()`.
   */
  open?(): Promise<void>;
  /** Closes what the storage itself opened; a client that the application passed in stays open. */
  close?(): Promise<void>;
}
