import { PaymentsStorageError } from '../errors/payments-storage.error.js';

/** @param what What the memory storage holds too much of. */
export function storageFull(what: string): PaymentsStorageError {
  return new PaymentsStorageError(
    `The memory storage is full of ${what}: raise maxEntries of memoryStorage(), or use a shared storage.`,
  );
}
