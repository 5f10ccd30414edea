import { mkdirSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { join } from 'node:path';
import { memoryStorage, type PaymentsStorage } from 'nestjs-payments';
import { sqliteStorage } from 'nestjs-payments/sqlite';

/** Git ignores it. */
const DATA = join(import.meta.dirname, '..', 'data');

/**
 * Keeps payments and webhooks in a file, for one process on one machine. Node.js before 22.13 has no SQLite: there they
 * are in memory, which forgets them at a restart.
 */
export function paymentsStorage(folder = DATA): PaymentsStorage {
  if (!isBuiltin('node:sqlite')) return memoryStorage();
  mkdirSync(folder, { recursive: true });
  return sqliteStorage({ file: join(folder, 'payments.db') });
}
