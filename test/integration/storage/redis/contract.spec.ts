import { afterAll, afterEach, beforeAll, describe, it } from 'vitest';
import { Cluster, type Redis } from 'ioredis';
import { type PaymentsStorage } from 'nestjs-payments';
import { redisStorage, type RedisClient } from 'nestjs-payments/redis';
import { conflictContract } from '../../../support/conflict-contract.js';
import { inboxContract, inboxDelivery, inboxKey } from '../../../support/inbox-contract.js';
import {
  dailyCapContract,
  damagedJournalContract,
  journalContract,
} from '../../../support/journal-contract.js';
import { connectRedis, forget, ownPrefix, TimeTravellingRedis, reaches } from '../../../support/redis.js';
import { redisOfSpecs } from '../../../support/redis-of-specs.js';
import { RedisServer } from '../../../support/redis-server.js';
import { freePort } from '../../../support/server-process.js';
import { describeWithRedisServer } from '../../../support/redis-server-specs.js';
import { describeWith, redisService } from '../../../support/services.js';

/** A storage of its own for each spec, and time that passes when the spec says so. */
function open(client: RedisClient, prefix: string): PaymentsStorage & { pass(ms: number): void } {
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

  describe('its inbox', () => {
    inboxContract(() => open(client(), prefix));
  });

  describe('its conflicts', () => {
    conflictContract(() => open(client(), prefix));
  });

  describe('its journal', () => {
    journalContract(() => open(client(), prefix));
  });
  describe('its daily caps', () => {
    dailyCapContract(() => open(client(), prefix));
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
    pass(60_001);
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

  describe('its inbox', () => {
    inboxContract(() => open(client, ''));
  });

  describe('its conflicts', () => {
    conflictContract(() => open(client, ''));
  });

  describe('its journal', () => {
    journalContract(() => open(client, ''));
  });
  describe('its daily caps', () => {
    dailyCapContract(() => open(client, ''));
  });
});
