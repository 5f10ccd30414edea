import { afterAll, afterEach, beforeAll, beforeEach, describe, vi } from 'vitest';
import { Logger } from '@nestjs/common';
import { memoryStorage } from 'nestjs-payments';
import { postgresStorage } from 'nestjs-payments/postgres';
import { redisStorage } from 'nestjs-payments/redis';
import { forgottenWebhooksContract } from '../../support/forgotten-webhooks-contract.js';
import { openPaymentsDatabase, type PaymentsDatabase } from '../../support/payments-database.js';
import { ownPrefix, TimeTravellingRedis } from '../../support/redis.js';
import { redisOfSpecs } from '../../support/redis-of-specs.js';
import { describeWith, postgresService, redisService } from '../../support/services.js';

beforeEach(() => {
  vi.spyOn(Logger.prototype, 'error').mockImplementation(() => {});
});
afterEach(() => {
  vi.restoreAllMocks();
});

describe('a webhook that the inbox has forgotten, in memory', () => {
  forgottenWebhooksContract(() => {
    let now = 1_800_000_000_000;
    return {
      storage: memoryStorage({ now: () => now }),
      pass: (ms) => {
        now += ms;
      },
    };
  });
});

describeWith([redisService], 'a webhook that the inbox has forgotten, in Redis', () => {
  const { prefix, client } = redisOfSpecs();

  forgottenWebhooksContract(() => {
    const travelling = new TimeTravellingRedis(client());
    return {
      storage: redisStorage({ client: travelling, keyPrefix: `${prefix}${ownPrefix()}` }),
      pass: (ms) => {
        travelling.pass(ms);
      },
    };
  });
});

describeWith([postgresService], 'a webhook that the inbox has forgotten, in PostgreSQL', () => {
  let database: PaymentsDatabase;

  beforeAll(async () => {
    database = await openPaymentsDatabase(postgresService.url);
  });
  afterEach(() => database.clear());
  afterAll(() => database.close());

  describe.each([
    ['without a transaction', false],
    ['in the transaction of the handlers', true],
  ])('%s', (_how, transactional) => {
    forgottenWebhooksContract(
      () => {
        const { pool, schema, pass } = database;
        return { storage: postgresStorage({ pool, schema, transactional }), pass };
      },
      { undoes: transactional },
    );
  });
});
