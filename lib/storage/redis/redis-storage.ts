import { type PaymentsStorage } from '../payments-storage.js';
import { FormatCheck } from './format-check.js';
import { RedisAccounts } from './redis-accounts.js';
import { openRedisClient, type RedisClient } from './redis-client.js';
import { RedisConflicts } from './redis-conflicts.js';
import { RedisInbox } from './redis-inbox.js';
import { RedisJournal } from './redis-journal.js';
import { RedisKeys } from './redis-keys.js';
import { checkRedisOptions, clientWarnings, type RedisStorageOptions } from './redis-storage-options.js';
import { ScriptRunner } from './script-runner.js';

/**
 * Stores payments and webhooks in Redis, shared by all replicas: one of them handles a delivery, and one of
 * them sends a payment. Every decision is one atomic script, which reads only the server's clock.
 *
 * It does not promise:
 *
 * - When a process dies between a handler's effect and its record, the handler runs again: make the effect
 *   idempotent.
 * - A delivery or payment whose data Redis loses may be repeated. Set `appendonly yes`, `appendfsync always`
 *   and `maxmemory-policy noeviction`; with `everysec` a crash may lose two seconds. A fail-over always loses
 *   the writes that had not reached the new master.
 * - When the answer to a claim is lost, the package answers the delivery with 503 until the claim's lease
 *   ends.
 *
 * Entries never expire, because a forgotten one means a second effect: call `purge()` of `PaymentsInbox` and
 * of `PaymentsJournal` from a scheduled job.
 *
 * @throws PaymentsConfigError if an option is wrong or unknown.
 *
 * @example
 * ```ts
 * PaymentsModule.forRoot({ ...options, storage: redisStorage({ url: 'redis://127.0.0.1:6379' }) })
 * ```
 *
 * @example
 * ```ts
 * const client = new Redis(url, {
 *   maxRetriesPerRequest: 0,
 *   socketTimeout: 5_000,
 *   reconnectOnError: (error) => error.message.includes('READONLY'),
 * });
 * PaymentsModule.forRoot({ ...options, storage: redisStorage({ client }) })
 * ```
 *
 * @publicApi
 */
export function redisStorage(options: RedisStorageOptions): PaymentsStorage {
  checkRedisOptions({ ...options });
  const { client, url, keyPrefix } = options;
  if (client) return { ...storageIn(client, keyPrefix), warnings: clientWarnings(client) };
  let own = openRedisClient(url);
  let isClosed = false;
  const current: RedisClient = {
    get status() {
      return own.status;
    },
    eval: (...given) => own.eval(...given),
    evalsha: (...given) => own.evalsha(...given),
    info: (section) => own.info(section),
  };
  const scripts = new ScriptRunner(current);
  return {
    ...storageIn(current, keyPrefix, scripts),
    open: () => {
      if (isClosed) {
        own = openRedisClient(url);
        scripts.reconnect();
      }
      isClosed = false;
      return Promise.resolve();
    },
    // From now on, the client refuses every call.
    close: () => {
      isClosed = true;
      own.disconnect();
      return Promise.resolve();
    },
  };
}

function storageIn(
  client: RedisClient,
  keyPrefix = 'nestjs-payments:',
  scripts = new ScriptRunner(client),
): PaymentsStorage {
  const keys = new RedisKeys(keyPrefix);
  const accounts = new RedisAccounts(client, scripts, keys);
  const format = new FormatCheck(scripts, keys, accounts);
  return {
    name: 'redis',
    inbox: new RedisInbox(scripts, keys, format, accounts),
    journal: new RedisJournal(scripts, keys, format, accounts),
    conflicts: new RedisConflicts(scripts, keys, format, accounts),
  };
}
