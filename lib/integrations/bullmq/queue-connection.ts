import { type RedisOptions } from 'bullmq';
import { isRecord } from '../../common/json-object.js';
import { type OptionError } from '../../errors/option-errors.js';

const LONGEST_RECONNECT_WAIT_MS = 2_000;

/** The options of both connections: the given ones, or those of the given client. */
export function connectionOptions(value: unknown, error: OptionError): RedisOptions {
  if (!isRecord(value)) {
    throw error(
      'connection',
      "is missing or no object: write { host, port }, { url: 'redis://…' } or an ioredis client, or import BullModule.forRoot({ connection }).",
    );
  }
  if (value['isCluster'] === true) {
    throw error('connection', 'is a Redis Cluster, which is not supported: pass a single Redis server.');
  }
  const isClient = typeof value['duplicate'] === 'function';
  const options = isClient ? value['options'] : value;
  // ioredis would ignore another client's options, and connect to 127.0.0.1. Its own ones always have a host.
  if (
    !isRecord(options) ||
    isRecord(options['socket']) ||
    (isClient && typeof options['host'] !== 'string')
  ) {
    throw error(
      'connection',
      "is of node-redis or of another kind: pass an ioredis client, { host, port } or { url: 'redis://…' }.",
    );
  }
  if (typeof options['keyPrefix'] === 'string' && options['keyPrefix'] !== '') {
    throw error(
      'connection',
      'has a keyPrefix, which BullMQ cannot work with: write `prefix` beside `connection`.',
    );
  }
  return options;
}

/** For storing: the caller waits, so a command fails soon if Redis is away. */
export function producerConnection(options: RedisOptions): RedisOptions {
  return {
    ...followingMaster(options),
    maxRetriesPerRequest: 1,
    enableOfflineQueue: false,
    retryStrategy: reconnectWait,
  };
}

/** For the worker: nobody waits, so a command waits until Redis is back. */
export function workerConnection(options: RedisOptions): RedisOptions {
  // A time limit would end the commands that wait for the next job.
  const { commandTimeout: _limit, ...rest } = options;
  return {
    ...followingMaster(rest),
    maxRetriesPerRequest: null,
    enableOfflineQueue: true,
    retryStrategy: reconnectWait,
  };
}

/** Reconnects forever, and soon enough to continue within seconds after any outage. */
function reconnectWait(times: number): number {
  return Math.min(50 * 2 ** Math.min(times, 10), LONGEST_RECONNECT_WAIT_MS);
}

/** Leaves a server that has become a replica, because its address may already lead to the new master. */
function followingMaster(options: RedisOptions): RedisOptions {
  if (options['reconnectOnError']) return options;
  return { ...options, reconnectOnError: ({ message }: Error) => message.includes('READONLY') };
}
