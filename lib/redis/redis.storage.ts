import { type PaymentsStorage } from '../common/storage-port.js';
import { PaymentsConfigError } from '../errors/payments-config.error.js';
import { type RedisClient } from './redis-client.js';
import { RedisInbox } from './redis.inbox.js';
import { RedisJournal } from './redis.journal.js';
import { RedisKeys } from './redis-keys.js';
import { ScriptRunner } from './script-runner.js';

/**
 * Where in Redis the package remembers.
 *
 * @publicApi
 */
export interface RedisStorageOptions {
  /**
   * A `Redis` or `Cluster` of ioredis. The application opened it and closes it, after the Nest application was closed.
   *
   * Give it `maxRetriesPerRequest: 0`: a call then fails as soon as the connection is lost, and is not made a second
   * time when it is back.
   */
  readonly client: RedisClient;
  /** What the name of every key begins with; without braces. @default 'nestjs-payments:' */
  readonly keyPrefix?: string;
}

/**
 * Remembers in Redis (or Valkey), for all replicas that share it: one of them handles a delivery, and one of them sends a
 * payment. Every decision is one script, so it is atomic, and reads the server's clock alone.
 *
 * What it does not promise:
 *
 * - When a process dies between a handler's effect and its record, the handler runs again: make the effect idempotent.
 * - What Redis loses is forgotten, and a forgotten delivery or payment may be repeated. Set `appendonly yes` and
 *   `maxmemory-policy noeviction`; even then a crash loses up to a second, and a fail-over what the replica had not heard of.
 * - When the answer to a claim is lost, the delivery is refused with 503 until the claim's lease ends.
 *
 * Entries never expire by themselves, because a forgotten one means a second effect: call `PaymentsInbox.purge()` and the
 * journal's `purge()` from a scheduled job.
 *
 * @throws PaymentsConfigError where an option is wrong.
 *
 * @example
 * const client = new Redis(process.env.REDIS_URL, { maxRetriesPerRequest: 0 });
 * PaymentsModule.forRoot({ ...options, storage: redisStorage({ client }) })
 *
 * @publicApi
 */
export function redisStorage({
  client,
  keyPrefix = 'nestjs-payments:',
}: RedisStorageOptions): PaymentsStorage {
  checkOptions(client, keyPrefix);
  const scripts = new ScriptRunner(client);
  const keys = new RedisKeys(keyPrefix);
  return {
    name: 'redis',
    inbox: new RedisInbox(scripts, keys),
    journal: new RedisJournal(scripts, keys),
  };
}

function checkOptions(client: unknown, keyPrefix: unknown): void {
  const isClient = typeof client === 'object' && client !== null && 'evalsha' in client;
  if (!isClient) {
    throw new PaymentsConfigError(
      'The option client of redisStorage() is not a client of ioredis: write new Redis(url).',
    );
  }
  if (typeof keyPrefix !== 'string' || /[{}]/.test(keyPrefix)) {
    throw new PaymentsConfigError(
      "The option keyPrefix of redisStorage() must be a text without braces, because the package adds the cluster's hash " +
        "tag itself: write 'shop:'.",
    );
  }
}
