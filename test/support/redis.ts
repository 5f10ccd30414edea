import { randomUUID } from 'node:crypto';
import { type Cluster, Redis } from 'ioredis';
import { type RedisClient } from 'nestjs-payments/redis';
import { openRedisClient } from '../../lib/storage/redis/redis-client.js';
import { redisService } from './services.js';

const TIME = "redis.call('TIME')";

/** Connects to the Redis of this machine; its errors are for the calls that they fail. */
export function connectRedis(url: string = redisService.url): Redis {
  const client = new Redis(url);
  client.on('error', () => {});
  return client;
}

/** Connects as `redisStorage({ url })` does, which keeps its client to itself. */
export function connectAsStorage(url: string): Redis {
  return openRedisClient(url);
}

/** Resolves at the next event; unlike `once` of node:events it takes no error of the client for its own. */
export function reaches(client: Redis | Cluster, event: string): Promise<void> {
  return new Promise((resolve) => {
    client.once(event, () => {
      resolve();
    });
  });
}

/** A key prefix that no other spec has. */
export function ownPrefix(): string {
  return `test:${randomUUID()}:`;
}

/** Deletes what was stored under a prefix. */
export async function forget(client: Redis, prefix: string): Promise<void> {
  for await (const keys of client.scanStream({ match: `${prefix}*`, count: 1_000 })) {
    if ((keys as string[]).length > 0) await client.unlink(...(keys as string[]));
  }
}

/**
 * A client whose server seems to be ahead of its time: the same scripts run on the same server, but what they read of its
 * clock is later by what has passed.
 */
export class TimeTravellingRedis implements RedisClient {
  private aheadMs = 0;

  constructor(private readonly client: RedisClient) {}

  get status(): string {
    return this.client.status;
  }

  pass(ms: number): void {
    this.aheadMs += ms;
  }

  info(section: string): Promise<string> {
    return this.client.info(section);
  }

  eval(script: string, numberOfKeys: number, ...values: string[]): Promise<unknown> {
    if (!script.includes(TIME)) throw new Error('The script reads no time of the server.');
    const clock = `(function () local t = ${TIME} local us = t[1] * 1e6 + t[2] + ${this.aheadMs * 1_000}
      return { math.floor(us / 1e6), us % 1e6 } end)()`;
    return this.client.eval(script.replaceAll(TIME, clock), numberOfKeys, ...values);
  }

  evalsha(sha1: string, numberOfKeys: number, ...values: string[]): Promise<unknown> {
    if (this.aheadMs === 0) return this.client.evalsha(sha1, numberOfKeys, ...values);
    const unknown = new Error('NOSCRIPT the script of another time');
    unknown.name = 'ReplyError';
    return Promise.reject(unknown);
  }
}
