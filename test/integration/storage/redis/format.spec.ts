import { afterEach, beforeEach, expect, it } from 'vitest';
import { type Redis } from 'ioredis';
import { type SetAsideDelivery, type PaymentsStorage } from 'nestjs-payments';
import { redisStorage } from 'nestjs-payments/redis';
import { journalRecord } from '../../../support/journal-contract.js';
import { connectRedis, forget, ownPrefix } from '../../../support/redis.js';
import { claimFormat } from '../../../support/redis-format.js';
import { describeWith, redisService } from '../../../support/services.js';

const SCOPE = { account: 'default', environment: 'sandbox' } as const;
const EVENT: SetAsideDelivery = {
  ...SCOPE,
  kind: 'conflict',
  event: 'payment.success',
  reference: 'order-1',
  fingerprint: 'f1',
  payload: '{}',
};

describeWith([redisService], 'the format of what Redis holds', () => {
  let client: Redis;
  let keyPrefix: string;

  beforeEach(() => {
    client = connectRedis();
    keyPrefix = ownPrefix();
  });
  afterEach(async () => {
    await forget(client, keyPrefix);
    client.disconnect();
  });

  const key = (): string => `${keyPrefix}{default:sandbox}:format`;
  /** A build of the package, as it starts. */
  const start = (version: number, compatibleFrom: number): Promise<void> =>
    claimFormat(client, keyPrefix, { version, compatibleFrom });
  const insert = (): Promise<unknown> =>
    redisStorage({ client, keyPrefix }).journal.insert(journalRecord('order-1'), 0);

  it('lets an older build restart beside a newer one that it may work with', async () => {
    await insert();
    expect(await client.get(key())).toBe('1 1');
    await start(2, 1);
    expect(await client.get(key())).toBe('2 1');
    await insert();
    await start(2, 1);
    expect(await client.get(key())).toBe('2 1');
  });

  it('stops an older build that a newer one has left behind', async () => {
    await start(1, 1);
    await start(3, 2);
    await expect(insert()).rejects.toMatchObject({
      name: 'PaymentsStorageError',
      message: expect.stringMatching(
        /format "3 2", which can be used from version 2 on, .* knows 1 at most: deploy/,
      ) as unknown,
    });
    expect(await client.get(key())).toBe('3 2');
    expect(await client.exists(`${keyPrefix}{default:sandbox}:journal:collection`)).toBe(0);
  });

  it.each<[string, (storage: PaymentsStorage) => Promise<unknown>]>([
    ['lists what was set aside', ({ conflicts }) => conflicts.list(SCOPE, { limit: 10 })],
    ['reads one of it', ({ conflicts }) => conflicts.get(SCOPE, '1.conflict.f1')],
    ['removes one of it', ({ conflicts }) => conflicts.remove(SCOPE, '1.conflict.f1')],
    ['purges it', ({ conflicts }) => conflicts.purge(SCOPE, 'conflict', 0)],
    ['sets an event aside', ({ conflicts }) => conflicts.setAside(EVENT)],
    ['purges the inbox', ({ inbox }) => inbox.purge(SCOPE, 0)],
    ['purges the journal', ({ journal }) => journal.purge(SCOPE, 'settled', 0)],
  ])('stops an older build that %s', async (_what, act) => {
    await start(3, 2);
    await expect(act(redisStorage({ client, keyPrefix }))).rejects.toMatchObject({
      name: 'PaymentsStorageError',
      message: expect.stringContaining('format "3 2"') as unknown,
    });
    expect(await client.keys(`${keyPrefix}{*`)).toEqual([key()]);
  });

  it.each(['2', 'something else', '9 x'])('stops at %j, which does not say who may use it', async (found) => {
    await client.set(key(), found);
    await expect(insert()).rejects.toMatchObject({ name: 'PaymentsStorageError' });
    expect(await client.get(key())).toBe(found);
  });

  it('continues with what a build wrote that named no compatibility', async () => {
    await client.set(key(), '1');
    await insert();
    expect(await client.get(key())).toBe('1');
  });
});
