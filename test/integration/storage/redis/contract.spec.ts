import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { Cluster, type Redis } from 'ioredis';
import { type JournalState, type PaymentsStorage, type SetAsideDelivery } from 'nestjs-payments';
import { redisStorage, type RedisClient } from 'nestjs-payments/redis';
import { conflictContract } from '../../../support/conflict-contract.js';
import { inboxDelivery, inboxKey } from '../../../support/inbox-contract.js';
import {
  allBut,
  damagedJournalContract,
  journalRecord,
  storedBy,
} from '../../../support/journal-contract.js';
import { connectRedis, forget, ownPrefix, TimeTravellingRedis, reaches } from '../../../support/redis.js';
import { redisOfSpecs } from '../../../support/redis-of-specs.js';
import { RedisServer } from '../../../support/redis-server.js';
import { sealed } from '../../../support/sealed-storage.js';
import { freePort } from '../../../support/server-process.js';
import { describeWithRedisServer } from '../../../support/redis-server-specs.js';
import { describeWith, redisService } from '../../../support/services.js';
import { storageContracts, type TestedStorage } from '../../../support/storage-contracts.js';

/** A storage of its own for each spec, and time that passes when the spec says so. */
function open(client: RedisClient, prefix: string): TestedStorage {
  const travelling = new TimeTravellingRedis(client);
  const storage = redisStorage({ client: travelling, keyPrefix: `${prefix}${ownPrefix()}` });
  return {
    ...storage,
    pass: (ms) => {
      travelling.pass(ms);
    },
  };
}

describeWith([redisService], 'redisStorage()', () => {
  const { prefix, client } = redisOfSpecs();

  storageContracts(() => open(client(), prefix));

  it('lists a planned payment, whose state has no index, once and in its state', async () => {
    const { journal } = open(client(), prefix);
    const planned = journalRecord('order-1', { state: 'planned' });
    const listed = async (...states: readonly JournalState[]): Promise<number> =>
      (await journal.list(planned, allBut(...states), { limit: 9 })).entries.length;
    const { version } = storedBy(await journal.insert(planned, 0));
    expect([await listed('planned'), await listed('in-flight')]).toEqual([1, 0]);
    const sent = await journal.replace(version, journalRecord('order-1'), 0);
    expect([await listed('planned'), await listed('in-flight')]).toEqual([0, 1]);
    expect(await listed('planned', 'in-flight')).toBe(1);
    const again = await journal.replace(sent?.version ?? 0, planned, 0);
    expect([await listed('planned'), await listed('in-flight')]).toEqual([1, 0]);
    expect(await journal.remove(planned, again?.version ?? 0)).toBe(true);
    expect(await listed('planned', 'in-flight')).toBe(0);
  });

  describe('a row of it that cannot be read', () => {
    const keyPrefix = `${prefix}damaged:`;
    const rows = `${keyPrefix}{default:sandbox}:journal:collection`;
    const field = (reference: string): string => JSON.stringify(reference);
    const row = async (reference: string): Promise<string> =>
      (await client().hget(rows, field(reference))) ?? '';

    afterEach(() => forget(client(), keyPrefix));

    damagedJournalContract(
      () => ({ ...redisStorage({ client: client(), keyPrefix }), pass: () => undefined }),
      [
        ['row is cut off', async (it) => client().hset(rows, field(it), (await row(it)).slice(0, -20))],
        ['row is cut off early', async (it) => client().hset(rows, field(it), (await row(it)).slice(0, 9))],
        ['row is something else', (it) => client().hset(rows, field(it), 'something else')],
        ['row is empty', (it) => client().hset(rows, field(it), '')],
        ['row is gone', (it) => client().hdel(rows, field(it))],
        ['rows are all gone, as Redis drops a key', () => client().del(rows)],
      ],
    );
  });

  describe('an event that was set aside, and cannot be read', () => {
    const keyPrefix = `${prefix}lost:`;
    const scope = { account: 'default', environment: 'sandbox' } as const;
    const entries = `${keyPrefix}{default:sandbox}:set-aside`;
    const event = (fingerprint: string): SetAsideDelivery => ({
      ...scope,
      kind: 'unknown-reference',
      event: 'payment.success',
      reference: `order-${fingerprint}`,
      fingerprint,
      payload: '{}',
    });

    afterEach(() => forget(client(), keyPrefix));

    it.each<[string, (field: string) => Promise<unknown>]>([
      ['is gone', (field) => client().hdel(entries, field)],
      ['is something else', (field) => client().hset(entries, field, 'something else')],
      [
        'is cut off',
        async (field) =>
          client().hset(entries, field, (await client().hget(entries, field))?.slice(0, -5) ?? ''),
      ],
    ])('is listed as damaged with the others, and can be discarded, if its text %s', async (_how, damage) => {
      for (const storage of [(one: PaymentsStorage) => one, sealed]) {
        const { conflicts } = storage(redisStorage({ client: client(), keyPrefix }));
        for (const fingerprint of ['a', 'b', 'c']) await conflicts.setAside(event(fingerprint));
        const [, before] = await conflicts.list(scope, { limit: 3 });
        await damage('unknown-reference.b');
        const listed = await conflicts.list(scope, { limit: 3 });
        expect(
          listed.map(({ reference, fingerprint, damaged }) => [reference, fingerprint, damaged]),
        ).toEqual([
          ['order-a', 'a', undefined],
          ['', 'b', 'Redis holds something else in its place'],
          ['order-c', 'c', undefined],
        ]);
        const id = before?.id ?? '';
        expect(await conflicts.get(scope, id)).toEqual(listed[1]);
        expect(listed[1]).toMatchObject({ id, kind: 'unknown-reference', firstSeenAt: before?.firstSeenAt });
        expect(await conflicts.list(scope, { limit: 3, after: id })).toEqual([listed[2]]);
        await conflicts.remove(scope, id);
        expect(await conflicts.get(scope, id)).toBeUndefined();
        expect(await conflicts.list(scope, { limit: 3 })).toEqual([listed[0], listed[2]]);
        for (const left of [listed[0], listed[2]]) await conflicts.remove(scope, left?.id ?? '');
      }
    });

    it('is another one when it is delivered again', async () => {
      const { conflicts } = redisStorage({ client: client(), keyPrefix });
      await conflicts.setAside(event('a'));
      const [lost] = await conflicts.list(scope, { limit: 1 });
      await client().hdel(entries, 'unknown-reference.a');
      await conflicts.setAside(event('a'));
      await conflicts.remove(scope, lost?.id ?? '');
      expect(await conflicts.list(scope, { limit: 2 })).toMatchObject([{ reference: 'order-a', seen: 1 }]);
    });
  });

  describe('its conflicts, through a client that gives numbers as texts', () => {
    let textual: Redis;
    beforeAll(() => {
      textual = connectRedis();
      textual.options.stringNumbers = true;
    });
    afterAll(() => {
      textual.disconnect();
    });
    conflictContract(() => open(textual, prefix));
  });

  it('does not wait for a claim whose holder died', async () => {
    const { inbox, pass } = open(client(), prefix);
    await inbox.claim(inboxDelivery('order-1'), 60_000);
    await pass(60_001);
    await inbox.waitForRelease(inboxKey('order-1'), 60_000);
  });
});

describeWithRedisServer('redisStorage() on a cluster, which refuses scripts over several slots', () => {
  let server: RedisServer;
  let client: Cluster;

  beforeAll(async () => {
    // Redis would take its port plus 10,000, which an outgoing connection may have.
    const busPort = String(await freePort());
    const cluster = ['--cluster-enabled', 'yes', '--cluster-port', busPort];
    server = await RedisServer.start(...cluster, '--cluster-announce-ip', '127.0.0.1');
    const node = connectRedis(server.url);
    await node.cluster('ADDSLOTSRANGE', 0, 16_383);
    while (!(await node.cluster('INFO')).includes('cluster_state:ok'));
    node.disconnect();
    client = new Cluster([server.url]);
    await reaches(client, 'ready');
  });

  afterAll(async () => {
    client.disconnect();
    await server.stop();
  });

  storageContracts(() => open(client, ''));
});
