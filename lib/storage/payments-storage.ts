import { type ConflictStore } from './conflict-store.js';
import { type InboxStore } from './inbox-store.js';
import { type JournalStore } from './journal-store.js';

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
  /** Closes what the storage itself opened; a client that the application passed in stays open. */
  close?(): Promise<void>;
}
