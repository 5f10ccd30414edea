import { afterEach, expect, it, vi } from 'vitest';
import { Logger } from '@nestjs/common';
import { type Redis } from 'ioredis';
import { inspect } from 'node:util';
import { redisStorage } from 'nestjs-payments/redis';
import { claimed, inboxDelivery, inboxKey } from '../../../support/inbox-contract.js';
import { eventually } from '../../../support/eventually.js';
import { journalRecord, storedBy } from '../../../support/journal-contract.js';
import { connectAsStorage, connectRedis, reaches } from '../../../support/redis.js';
import { RedisServer } from '../../../support/redis-server.js';
import { describeWithRedisServer } from '../../../support/redis-server-specs.js';
import { SeverableProxy } from '../../../support/severable-proxy.js';

const LEASE_MS = 60_000;
const CUSTOMER = '255712345678';
const SCOPE = { account: 'default', environment: 'sandbox' } as const;

describeWithRedisServer('redisStorage() on a Redis of its own', () => {
  let server: RedisServer | undefined;
  let client: Redis | undefined;

  async function start(...options: string[]): Promise<Redis> {
    server = await RedisServer.start(...options);
    client = connectRedis(server.url);
    return client;
  }

  afterEach(async () => {
    vi.restoreAllMocks();
    client?.disconnect();
    await server?.stop();
  });

  it('confuses nothing of before a crash that lost everything with what came after it', async () => {
    const connected = await start();
    const { inbox, journal } = redisStorage({ client: connected });
    const before = claimed(await inbox.claim(inboxDelivery('order-1'), LEASE_MS));
    const stored = storedBy(await journal.insert(journalRecord('order-1'), LEASE_MS));
    const reconnected = reaches(connected, 'ready');
    await server?.crash();
    await reconnected;
    const after = claimed(await inbox.claim(inboxDelivery('order-1'), LEASE_MS));
    expect(await before.mark('Orders.paid')).toBe(false);
    expect(await before.finish()).toBe(false);
    expect(await after.finish()).toBe(true);
    const again = await journal.insert(journalRecord('order-1'), LEASE_MS);
    expect(again.inserted).toBe(true);
    expect(await journal.replace(stored.version, stored.record, 0)).toBeUndefined();
    expect(await journal.remove(stored.record, stored.version)).toBe(false);
  });

  it('lists an account again whose first writes a crash lost, as soon as a call has noticed the crash', async () => {
    const connected = await start();
    const { journal } = redisStorage({ client: connected });
    await journal.insert(journalRecord('order-1', { account: 'shop' }), LEASE_MS);
    const lost = reaches(connected, 'reconnecting');
    const reconnected = reaches(connected, 'ready');
    const crashed = server?.crash();
    await lost;
    await expect(journal.get(journalRecord('order-1', { account: 'shop' }))).rejects.toThrow('reconnecting');
    await crashed;
    await reconnected;
    await journal.insert(journalRecord('order-2', { account: 'shop' }), LEASE_MS);
    await eventually(async () => {
      expect(await connected.zrange('nestjs-payments:accounts', '0', '-1')).toEqual(['shop:sandbox']);
    });
    expect(await connected.get('nestjs-payments:{shop:sandbox}:format')).toBe('1 1');
  });

  it('writes to the new master after a fail-over that leaves the old one up as a replica', async () => {
    const admin = await start();
    const promoted = await RedisServer.start('--replicaof', `127.0.0.1 ${server?.port ?? 0}`);
    const proxy = await SeverableProxy.before(server?.url ?? '');
    const promotedAdmin = connectRedis(promoted.url);
    const ours = connectAsStorage(proxy.url);
    try {
      const { journal } = redisStorage({ client: ours });
      await journal.insert(journalRecord('order-1'), LEASE_MS);
      await eventually(async () => {
        expect(await promotedAdmin.exists('nestjs-payments:{default:sandbox}:journal:collection')).toBe(1);
      });
      await promotedAdmin.replicaof('NO', 'ONE');
      await admin.replicaof('127.0.0.1', String(promoted.port));
      proxy.moveTo(promoted.url);
      const reconnected = reaches(ours, 'ready');
      await expect(journal.insert(journalRecord('order-2'), LEASE_MS)).rejects.toThrow('READONLY');
      await reconnected;
      expect(await journal.insert(journalRecord('order-2'), LEASE_MS)).toMatchObject({ inserted: true });
      expect(await journal.insert(journalRecord('order-1'), LEASE_MS)).toMatchObject({ inserted: false });
    } finally {
      for (const connection of [ours, promotedAdmin]) connection.disconnect();
      await proxy.close();
      await promoted.stop();
    }
  });

  it.each(['allkeys-lru', 'allkeys-random'])('warns once of the policy %s', async (policy) => {
    const warn = vi.spyOn(Logger.prototype, 'warn').mockReturnValue(undefined);
    await useTwice(await start('--maxmemory-policy', policy));
    expect(warn.mock.calls).toEqual([[expect.stringContaining(policy)]]);
  });

  it.each(['noeviction', 'volatile-lru'])('has nothing to say of the policy %s', async (policy) => {
    const warn = vi.spyOn(Logger.prototype, 'warn').mockReturnValue(undefined);
    await useTwice(await start('--maxmemory-policy', policy));
    expect(warn).not.toHaveBeenCalled();
  });

  it('names why a full Redis refuses a payment, and nothing of the payment', async () => {
    const { journal } = redisStorage({ client: await start('--maxmemory', '100kb') });
    const writing = journal.insert(journalRecord('order-1', { body: CUSTOMER }), LEASE_MS);
    const failure: unknown = await writing.catch((error: unknown) => error);
    expect(failure).toMatchObject({
      name: 'PaymentsStorageError',
      message: expect.stringContaining('OOM') as unknown,
    });
    expect(inspect(failure, { depth: null, showHidden: true })).not.toContain(CUSTOMER);
    expect(await journal.get(journalRecord('order-1'))).toBeUndefined();
  });

  it('is emptied by a purge, which leaves its tombstones, when it is full and refuses payments', async () => {
    const admin = await start();
    const { journal } = redisStorage({ client: admin });
    const ended = { state: 'settled', outcome: 'success', settledBy: 'webhook' } as const;
    for (const reference of ['order-1', 'order-2']) {
      await journal.insert(journalRecord(reference, ended), 0);
    }
    await eventually(async () => {
      expect((await journal.get(journalRecord('order-2')))?.ageMs).toBeGreaterThan(1);
    });
    await admin.config('SET', 'maxmemory', '100kb');
    await expect(journal.insert(journalRecord('order-3'), 0)).rejects.toThrow('OOM');
    expect(await journal.purge(SCOPE, 'settled', 1)).toBe(2);
    expect(await journal.get(journalRecord('order-1'))).toBeUndefined();
    expect(await journal.tombstone(journalRecord('order-2'))).toMatchObject({ end: 'success' });
  });

  it('purges nothing whose tombstones cannot be left, because their key holds something else', async () => {
    const admin = await start();
    const { journal } = redisStorage({ client: admin });
    const ended = { state: 'settled', outcome: 'success', settledBy: 'webhook' } as const;
    await journal.insert(journalRecord('order-1', ended), 0);
    await eventually(async () => {
      expect((await journal.get(journalRecord('order-1')))?.ageMs).toBeGreaterThan(1);
    });
    await admin.set('nestjs-payments:{default:sandbox}:journal:collection:tombstones', 'something else');
    await expect(journal.purge(SCOPE, 'settled', 1)).rejects.toThrow('WRONGTYPE');
    expect(await journal.get(journalRecord('order-1'))).toBeDefined();
  });

  it('opens a client of its own with the password of its address, shows it nowhere, and closes it', async () => {
    server = await RedisServer.start('--requirepass', 'correct-horse');
    const url = server.url.replace('//', '//:correct-horse@');
    const admin = (client = connectRedis(url));
    const storage = redisStorage({ url });
    expect(inspect(storage, { depth: null, showHidden: true })).not.toContain('correct-horse');
    const idle = await connections(admin);
    await storage.journal.insert(journalRecord('order-1'), LEASE_MS);
    expect(await connections(admin)).toBe(idle + 1);
    await storage.close?.();
    while ((await connections(admin)) !== idle);
    await expect(storage.journal.get(journalRecord('order-1'))).rejects.toMatchObject({
      name: 'PaymentsStorageError',
    });
  });

  it('says that the password is missing', async () => {
    const { journal } = redisStorage({ client: await start('--requirepass', 'correct-horse') });
    await expect(journal.get(journalRecord('order-1'))).rejects.toMatchObject({
      name: 'PaymentsStorageError',
      message: expect.stringContaining('NOAUTH') as unknown,
    });
  });
});

/** Uses a storage; resolves when the server has answered everything that it was asked meanwhile. */
async function useTwice(client: Redis): Promise<void> {
  const { conflicts } = redisStorage({ client });
  await conflicts.list(inboxKey('order-1'), { limit: 1 });
  await conflicts.list(inboxKey('order-1'), { limit: 1 });
  await client.ping();
  await new Promise(setImmediate);
}

async function connections(client: Redis): Promise<number> {
  return Number(/^connected_clients:(\d+)/m.exec(await client.info('clients'))?.[1]);
}
