import { afterAll, beforeAll, describe } from '@jest/globals';
import { type Redis } from 'ioredis';
import { type PaymentsStorage } from '../../../lib/common/storage-port.js';
import { redisStorage } from '../../../lib/redis/index.js';
import { inboxContract } from '../../support/inbox-contract.js';
import { journalContract } from '../../support/journal-contract.js';
import { connectRedis, forget, ownPrefix, TimeTravellingRedis } from '../../support/redis.js';
import { describeWith, redisService } from '../../support/services.js';

describeWith([redisService], 'redisStorage()', () => {
  const prefix = ownPrefix();
  let client: Redis;

  beforeAll(() => {
    client = connectRedis();
  });

  afterAll(async () => {
    await forget(client, prefix);
    client.disconnect();
  });

  /** A storage of its own for each spec, and time that passes when the spec says so. */
  function open(): PaymentsStorage & { pass(ms: number): void } {
    const travelling = new TimeTravellingRedis(client);
    const storage = redisStorage({ client: travelling, keyPrefix: `${prefix}${ownPrefix()}` });
    return {
      ...storage,
      pass: (ms) => {
        travelling.pass(ms);
      },
    };
  }

  describe('its inbox', () => {
    inboxContract(open);
  });

  describe('its journal', () => {
    journalContract(open);
  });
});
