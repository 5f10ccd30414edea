import { type InboxScope } from '../../common/vocabulary.js';
import { PaymentsStorageError } from '../../errors/payments-errors.js';

/** Runs synchronous work; what it throws rejects. */
export function inOneTurn<T>(work: () => T): Promise<T> {
  return new Promise((resolve) => {
    resolve(work());
  });
}

/** Equal for equal scopes, and never the beginning of another scope's. */
export function scopeText({ account, environment }: InboxScope): string {
  return `${environment} ${account.length} ${account} `;
}

/** @param what What the memory storage holds too much of. */
export function storageFull(what: string): PaymentsStorageError {
  return new PaymentsStorageError(
    `The memory storage is full of ${what}: raise maxEntries of memoryStorage(), or use a shared storage.`,
  );
}
