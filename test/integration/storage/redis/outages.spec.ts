import { afterEach, beforeEach, expect, it } from 'vitest';
import { type Redis } from 'ioredis';
import { redisStorage } from 'nestjs-payments/redis';
import { claimed, inboxDelivery, inboxKey } from '../../../support/inbox-contract.js';
import { journalRecord } from '../../../support/journal-contract.js';
import { connectAsStorage, connectRedis, forget, ownPrefix, reaches } from '../../../support/redis.js';
import { describeWith, redisService } from '../../../support/services.js';
import { SeverableProxy } from '../../../support/severable-proxy.js';

const LEASE_MS = 60_000;
const UNREACHABLE = { name: 'PaymentsStorageError' };

describeWith([redisService], 'redisStorage() before a Redis that goes away', () => {
  let proxy: SeverableProxy;
  let client: Redis;
  let prefix: string;

  beforeEach(async () => {
    proxy = await SeverableProxy.before(redisService.url);
    prefix = ownPrefix();
  });

  afterEach(async () => {
    client.disconnect();
    await proxy.close();
    const direct = connectRedis();
    await forget(direct, prefix);
    direct.disconnect();
  });

  it('rejects at once, whatever the client would wait for, and works again afterwards', async () => {
    client = connectRedis(proxy.url);
    const { inbox, journal, conflicts } = redisStorage({ client, keyPrefix: prefix });
    const claim = claimed(await inbox.claim(inboxDelivery('order-1'), LEASE_MS));
    const lost = reaches(client, 'reconnecting');
    proxy.cut();
    await lost;
    for (const call of [
      inbox.claim(inboxDelivery('order-2'), LEASE_MS),
      inbox.waitForRelease(inboxKey('order-1'), 60_000),
      conflicts.list(inboxKey('order-1'), { limit: 1 }),
      inbox.purge(inboxKey('order-1'), 0),
      claim.mark('Orders.paid'),
      claim.finish(),
      claim.fail(),
      journal.insert(journalRecord('order-1'), LEASE_MS),
      journal.get(journalRecord('order-1')),
    ]) {
      await expect(call).rejects.toMatchObject(UNREACHABLE);
    }
    proxy.restore();
    await reaches(client, 'ready');
    expect(await claim.finish()).toBe(true);
    // What was refused was not kept for later.
    expect(await journal.get(journalRecord('order-1'))).toBeUndefined();
  });

  it('fails calls that are under way when a client of its own loses the connection, and makes none again', async () => {
    client = connectAsStorage(proxy.url);
    const { inbox, conflicts } = redisStorage({ client, keyPrefix: prefix });
    await conflicts.list(inboxKey('order-1'), { limit: 1 });
    proxy.hang();
    const claiming = inbox.claim(inboxDelivery('order-1'), LEASE_MS);
    proxy.cut();
    await expect(claiming).rejects.toMatchObject(UNREACHABLE);
    proxy.restore();
    await reaches(client, 'ready');
    expect((await inbox.claim(inboxDelivery('order-1'), LEASE_MS)).result).toBe('claimed');
  });

  it('leaves a connection that has fallen silent', async () => {
    client = connectAsStorage(proxy.url);
    expect(client.options.socketTimeout).toBe(5_000);
    const { inbox, conflicts } = redisStorage({ client, keyPrefix: prefix });
    await conflicts.list(inboxKey('order-1'), { limit: 1 });
    proxy.hang();
    // Only now: on a busy machine, an answer takes longer.
    client.options.socketTimeout = 50;
    await expect(inbox.claim(inboxDelivery('order-1'), LEASE_MS)).rejects.toMatchObject(UNREACHABLE);
    client.options.socketTimeout = 5_000;
    proxy.restore();
    await reaches(client, 'ready');
    expect((await inbox.claim(inboxDelivery('order-2'), LEASE_MS)).result).toBe('claimed');
  });

  it('fails the first call if nothing listens, and not those after somebody does', async () => {
    proxy.cut();
    client = connectAsStorage(proxy.url);
    const { journal } = redisStorage({ client, keyPrefix: prefix });
    await expect(journal.get(journalRecord('order-1'))).rejects.toMatchObject(UNREACHABLE);
    proxy.restore();
    await reaches(client, 'ready');
    expect(await journal.get(journalRecord('order-1'))).toBeUndefined();
  });

  it('takes a claim that the client makes again, because its answer was lost, for the same one', async () => {
    client = connectRedis();
    const twice = {
      status: 'ready',
      info: () => Promise.resolve(''),
      eval: (script: string, keys: number, ...values: string[]) => client.eval(script, keys, ...values),
      evalsha: async (sha1: string, keys: number, ...values: string[]) => {
        await client.evalsha(sha1, keys, ...values);
        return client.evalsha(sha1, keys, ...values);
      },
    };
    const delivery = inboxDelivery('order-1');
    await redisStorage({ client, keyPrefix: prefix }).inbox.claim(inboxDelivery('order-2'), LEASE_MS);
    const claim = claimed(
      await redisStorage({ client: twice, keyPrefix: prefix }).inbox.claim(delivery, LEASE_MS),
    );
    expect(claim.attempt).toBe(1);
    const { inbox } = redisStorage({ client, keyPrefix: prefix });
    expect((await inbox.claim(delivery, LEASE_MS)).result).toBe('busy');
  });
});
