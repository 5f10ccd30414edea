import { memoryStorage } from 'nestjs-payments';

/** Sends nothing over a network: it has no floor of its own. */
export function openStorage() {
  const storage = memoryStorage();
  return { storage, clear() {}, close() {} };
}
