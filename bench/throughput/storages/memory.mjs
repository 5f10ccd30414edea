import { memoryStorage } from 'nestjs-payments';

/** Sends nothing to anybody: it has no floor of its own. */
export function openStorage() {
  const storage = memoryStorage();
  return { storage, clear() {}, close() {} };
}
