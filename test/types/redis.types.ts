// Remembering in Redis.
import { Cluster, Redis } from 'ioredis';
import { type PaymentsStorage } from 'nestjs-payments';
import { redisStorage, type RedisStorageOptions } from 'nestjs-payments/redis';
import { type Equal, type Expect } from './expect.js';

export type Checks = [
  Expect<Equal<ReturnType<typeof redisStorage>, PaymentsStorage>>,
  Expect<Equal<RedisStorageOptions['keyPrefix'], string | undefined>>,
];

export const storages: readonly PaymentsStorage[] = [
  redisStorage({ client: new Redis() }),
  redisStorage({ client: new Redis('redis://127.0.0.1', { replyMapping: 'resp3' }), keyPrefix: 'shop:' }),
  redisStorage({ client: new Cluster([]) }),
  redisStorage({ url: 'rediss://127.0.0.1', keyPrefix: 'shop:' }),
];

// @ts-expect-error -- the application says which Redis
redisStorage({});
// @ts-expect-error -- a client or its address, not both
redisStorage({ client: new Redis(), url: 'redis://127.0.0.1' });
// @ts-expect-error -- a client, not its address
redisStorage({ client: 'redis://127.0.0.1' });
