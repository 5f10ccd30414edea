import { afterAll, beforeAll } from 'vitest';
import { type Redis } from 'ioredis';
import { connectRedis, forget, ownPrefix } from './redis.js';

/** A connection for the specs of a `describe` and a key prefix of their own, under which nothing is left afterwards. */
export function redisOfSpecs(): { readonly prefix: string; readonly client: () => Redis } {
  const prefix = ownPrefix();
  let client: Redis;
  beforeAll(() => {
    client = connectRedis();
  });
  afterAll(async () => {
    await forget(client, prefix);
    client.disconnect();
  });
  return { prefix, client: () => client };
}
