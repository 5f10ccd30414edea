import { type JournalStore } from '../journal-store.js';
import { type InboxStore } from '../inbox-store.js';
import { type PaymentsStorage } from '../payments-storage.js';
import { callOptionErrors, refuseUnknown } from '../../errors/option-errors.js';
import { PaymentsConfigError } from '../../errors/payments-errors.js';
import { MemoryConflicts } from './memory-conflicts.js';
import { MemoryInbox } from './memory-inbox.js';
import { MemoryJournal } from './memory-journal.js';

/**
 * Bounds of the memory storage.
 *
 * @publicApi
 */
export interface MemoryStorageOptions {
  /**
   * How many webhook outcomes, and how many payments, are remembered; the oldest handled outcome makes room,
   * and the oldest settled, then refused, then accepted payment, of which a tombstone of some 35 bytes stays.
   * Payments in flight or unknown are never forgotten, so there may be more of them.
   * @default 10_000
   */
  readonly maxEntries?: number | undefined;
  /** The time in milliseconds since 1970, for tests. @default Date.now */
  readonly now?: (() => number) | undefined;
}

const OPTIONS: readonly (keyof MemoryStorageOptions)[] = ['maxEntries', 'now'];

/**
 * Remembers in this process: a repeated delivery is not handled twice and a repeated payment not sent twice while it is
 * remembered. A restart forgets, and a second replica knows nothing of the first.
 *
 * Work that is not finished is never forgotten: a storage full of unhandled webhooks refuses new deliveries with 503,
 * and one full of open payments grows and warns.
 *
 * @throws PaymentsConfigError if `maxEntries` is not a whole number from 1 on, or an option is unknown.
 *
 * @publicApi
 */
export function memoryStorage(options: MemoryStorageOptions = {}): PaymentsStorage {
  refuseUnknown(options, OPTIONS, callOptionErrors('memoryStorage()'));
  const { maxEntries = 10_000, now } = options;
  if (!Number.isSafeInteger(maxEntries) || maxEntries < 1) {
    throw new PaymentsConfigError(
      'The option maxEntries of memoryStorage() must be a whole number from 1 on: write 10_000.',
    );
  }
  const storage = {
    name: 'memory',
    inbox: new MemoryInbox(maxEntries, now),
    journal: new MemoryJournal(maxEntries, now),
    conflicts: new MemoryConflicts(maxEntries, now),
  };
  for (const part of [storage, storage.inbox, storage.journal]) inThisProcess.add(part);
  return storage;
}

/** Not what is built around one: that may take its time. */
const inThisProcess = new WeakSet<object>();

/** Whether a storage, or its journal or inbox, cannot but answer at once. */
export function isInProcess(storage: PaymentsStorage | InboxStore | JournalStore): boolean {
  return inThisProcess.has(storage);
}
