import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { type Redis } from 'ioredis';
import { type InboxScope, type PaymentsStorage } from 'nestjs-payments';
import { redisStorage } from 'nestjs-payments/redis';
import { journalRecord } from '../../../support/journal-contract.js';
import { connectRedis, forget, ownPrefix } from '../../../support/redis.js';
import { describeWith, redisService } from '../../../support/services.js';

describeWith([redisService], 'the accounts that Redis knows', () => {
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

  const storage = (): PaymentsStorage => redisStorage({ client, keyPrefix });
  const listed = async ({ journal }: PaymentsStorage, limit = 1_000): Promise<readonly InboxScope[]> => {
    const accounts: InboxScope[] = [];
    for (let after: string | undefined; ;) {
      const page = await journal.accounts({ limit, ...(after !== undefined && { after }) });
      accounts.push(...page.accounts);
      after = page.next;
      if (after === undefined) return accounts;
    }
  };

  it('are found too if a build wrote them that kept no list', async () => {
    for (const account of ['shop-1', 'shop.2']) {
      await storage().journal.insert(journalRecord('order-1', { account, environment: 'production' }), 0);
    }
    // Another application, whose prefix is a pattern that would fit.
    await client.set(`x${keyPrefix}{other:sandbox}:format`, '1 1');
    await client.del(`${keyPrefix}accounts`);
    const found = await listed(storage());
    await client.del(`x${keyPrefix}{other:sandbox}:format`);
    expect(found).toEqual([
      { account: 'shop-1', environment: 'production' },
      { account: 'shop.2', environment: 'production' },
    ]);
  });

  it('are found if the client itself puts a prefix before every key', async () => {
    const prefixed = connectRedis();
    prefixed.options.keyPrefix = `${keyPrefix}[app]:`;
    const old = redisStorage({ client: prefixed });
    await old.journal.insert(journalRecord('order-1', { account: 'shop' }), 0);
    await client.del(`${keyPrefix}[app]:nestjs-payments:accounts`);
    expect(await listed(redisStorage({ client: prefixed }))).toEqual([
      { account: 'shop', environment: 'sandbox' },
    ]);
    prefixed.disconnect();
  });

  it('are found behind a hundred thousand keys of others, without a limit of time being passed', async () => {
    await storage().journal.insert(journalRecord('order-1', { account: 'shop' }), 0);
    await client.del(`${keyPrefix}accounts`);
    await client.eval(
      "for i = 1, 100000 do redis.call('SET', ARGV[1] .. i, '') end",
      0,
      `${keyPrefix}cache:`,
    );
    expect(await listed(storage())).toEqual([{ account: 'shop', environment: 'sandbox' }]);
  });

  it('are ten thousand, page by page, and no page asks for the keys again', async () => {
    const stored = Array.from({ length: 10_000 }, (_, index) => `shop-${index}:sandbox`);
    await client.zadd(`${keyPrefix}accounts`, ...stored.flatMap((name) => [0, name] as const));
    const known = storage();
    const found = await listed(known, 500);
    expect(new Set(found.map(({ account }) => account)).size).toBe(10_000);
    const sent = vi.spyOn(client, 'sendCommand');
    await listed(known, 500);
    // One script a page: a search would run more.
    expect(sent).toHaveBeenCalledTimes(20);
  });
});
