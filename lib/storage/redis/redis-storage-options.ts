import { isRecord } from '../../common/json-object.js';
import { callOptionErrors, refuseUnknown } from '../../errors/option-errors.js';
import { PaymentsConfigError } from '../../errors/payments-errors.js';
import { type RedisClient } from './redis-client.js';

/**
 * Options of `redisStorage`: a client of the application, or the address for a client of the package.
 *
 * @publicApi
 */
export type RedisStorageOptions = RedisKeyOptions & (GivenRedisOptions | OwnRedisOptions);

/**
 * Names of the package's keys.
 *
 * @publicApi
 */
export interface RedisKeyOptions {
  /**
   * Start of every key's name, without braces. Give each merchant that shares the Redis another prefix.
   * @default 'nestjs-payments:'
   */
  readonly keyPrefix?: string;
}

/**
 * A client that the application opened. The package never closes it: close it after `app.close()`.
 *
 * @publicApi
 */
export interface GivenRedisOptions {
  /**
   * A `Redis` or `Cluster` of ioredis. Give it `maxRetriesPerRequest: 0` and a `socketTimeout` (ioredis 5.4
   * or later): a call then fails as soon as the connection is lost or silent, and does not run again after a
   * reconnect. Give a `Redis` a `reconnectOnError` that returns true for READONLY: otherwise every write is refused
   * after a fail-over that leaves the old master up as a replica, until the process restarts.
   */
  readonly client: RedisClient;
  /** Not together with `client`. */
  readonly url?: never;
}

/**
 * A client that the package opens at the first call and closes after the shutdown of the application. It connects again
 * for the next application of the process.
 *
 * @publicApi
 */
export interface OwnRedisOptions {
  /** Address of Redis: `redis://[user:password@]host[:port][/database]`, with TLS `rediss://…`. */
  readonly url: string;
  /** Not together with `url`. */
  readonly client?: never;
}

const OPTIONS = ['client', 'url', 'keyPrefix'];

/** @throws PaymentsConfigError without the address, which may contain a password. */
export function checkRedisOptions(options: Record<string, unknown>): void {
  const { client, url, keyPrefix } = options;
  if ((client === undefined) === (url === undefined)) {
    throw new PaymentsConfigError('redisStorage() takes a client or a url: write { client } or { url }.');
  }
  refuseUnknown(options, OPTIONS, callOptionErrors('redisStorage()'));
  if (url !== undefined && !(typeof url === 'string' && /^rediss?:\/\/./.test(url) && URL.canParse(url))) {
    throw new PaymentsConfigError(
      'The option url of redisStorage() is not an address of Redis: write redis://host:6379, and encode special characters of a ' +
        'password, a slash as %2F: encodeURIComponent(password).',
    );
  }
  if (client !== undefined && !isClient(client)) {
    throw new PaymentsConfigError(
      'The option client of redisStorage() is not a client of ioredis: write new Redis(url).',
    );
  }
  if (keyPrefix !== undefined && (typeof keyPrefix !== 'string' || /[{}]/.test(keyPrefix))) {
    throw new PaymentsConfigError(
      "The option keyPrefix of redisStorage() must be a text without braces, because the package adds the cluster's hash " +
        "tag itself: write 'shop:'.",
    );
  }
}

/** What the application should change about its client. A cluster follows its servers by itself. */
export function clientWarnings(client: RedisClient): readonly string[] {
  const { options, nodes } = client as ClientParts;
  if (!isRecord(options) || nodes !== undefined) return [];
  const wrong = [
    ...(options['maxRetriesPerRequest'] === 0 ? [] : ['without maxRetriesPerRequest: 0']),
    ...(Number(options['socketTimeout']) > 0 ? [] : ['without a socketTimeout']),
  ];
  if (wrong.length === 0) return [];
  return [
    `redisStorage({ client }) has a client ${wrong.join(' and ')}: a call waits for a connection that is lost or silent, and may run ` +
      'after its caller gave up. Write new Redis(url, { maxRetriesPerRequest: 0, socketTimeout: 5_000, ' +
      "reconnectOnError: (error) => error.message.includes('READONLY') }).",
  ];
}

/** What a `Redis` or `Cluster` has that the package does not use. */
type ClientParts = Pick<RedisClient, 'nodes'> & { readonly options?: unknown };

function isClient(value: unknown): boolean {
  return isRecord(value) && 'evalsha' in value;
}
