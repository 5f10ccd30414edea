import { afterAll, beforeAll } from 'vitest';
import { type Redis } from 'ioredis';
import { redisStorage } from 'nestjs-payments/redis';
import { connectRedis, forget, ownPrefix } from '../../../support/redis.js';
import { replicasContract } from '../../../support/replicas-contract.js';
import { describeWith, redisService } from '../../../support/services.js';

describeWith([redisService], 'two replicas that share a Redis', () => {
  const prefix = ownPrefix();
  let clients: readonly [Redis, Redis];

  beforeAll(() => {
    clients = [connectRedis(), connectRedis()];
  });

  afterAll(async () => {
    await forget(clients[0], prefix);
    for (const client of clients) client.disconnect();
  });

  replicasContract(() => {
    const keyPrefix = `${prefix}${ownPrefix()}`;
    const [one, other] = clients;
    return [redisStorage({ client: one, keyPrefix }), redisStorage({ client: other, keyPrefix })];
  });
});
