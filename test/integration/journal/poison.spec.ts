import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Logger } from '@nestjs/common';
import { type Redis } from 'ioredis';
import {
  type JournalEntry,
  type JournalRecord,
  type JournalState,
  memoryStorage,
  type PaymentsStorage,
} from 'nestjs-payments';
import { postgresStorage } from 'nestjs-payments/postgres';
import { redisStorage } from 'nestjs-payments/redis';
import { type PaymentsSandbox } from 'nestjs-payments/sandbox';
import { collectionRequest } from '../../support/gateway-answers.js';
import { inboxDelivery } from '../../support/inbox-contract.js';
import { journalRecord } from '../../support/journal-contract.js';
import { type PaymentsApp, startPaymentsApp } from '../../support/payments-app.js';
import { borrowPaymentsDatabase, type PaymentsDatabase } from '../../support/payments-database.js';
import { connectRedis, forget, ownPrefix, TimeTravellingRedis } from '../../support/redis.js';
import { startSandbox } from '../../support/sandbox.js';
import { describeWith, postgresService, redisService } from '../../support/services.js';

/** Shorter than the wait before a probe, so that a call never makes one itself. */
const DEADLINE_MS = 14_000;
const OLD_ENOUGH_MS = DEADLINE_MS + 30_001;
/** A good payment before and one after the damaged ones. */
const WELL = ['order-1', 'order-9'];

interface Place {
  readonly storage: PaymentsStorage;
  pass(ms: number): Promise<void> | void;
  close(): Promise<void>;
}

/** An open payment as a process left it that was killed after sending. */
function open(reference: string, change: Partial<JournalRecord> = {}): JournalRecord {
  const body = JSON.stringify({ ...collectionRequest, reference, amount: 1180.5, currency: 'TZS' });
  return journalRecord(reference, { body, sent: true, idempotencyKey: `key-of-${reference}`, ...change });
}

let sandbox: PaymentsSandbox;
let payments: PaymentsApp;
let place: Place;
let logged: string[];

async function start(opened: Place): Promise<void> {
  place = opened;
  logged = [];
  vi.spyOn(Logger.prototype, 'warn').mockImplementation(() => {});
  vi.spyOn(Logger.prototype, 'error').mockImplementation((message) => void logged.push(String(message)));
  sandbox = await startSandbox({ clock: 'manual', seed: 1 });
  payments = await startPaymentsApp({
    ...sandbox.moduleOptions(),
    timeoutMs: 12_000,
    deadlineMs: DEADLINE_MS,
    retry: { maxAttempts: 1 },
    storage: place.storage,
  });
}

afterEach(async () => {
  vi.restoreAllMocks();
  await payments.app.close();
  await place.close();
});

/** Writes the two that are well around what `poison` writes, and recovers all of it. */
async function recoverWith(poison: () => Promise<unknown>): Promise<readonly JournalEntry[]> {
  const { journal } = place.storage;
  await journal.insert(open('order-1'), 0);
  await place.pass(10);
  await poison();
  await place.pass(10);
  await journal.insert(open('order-9'), 0);
  await place.pass(OLD_ENOUGH_MS);
  expect(await payments.journal.recover()).toEqual({ probed: 2, settled: 2, stillUnknown: 1 });
  expect(
    sandbox
      .payments()
      .map(({ reference }) => reference)
      .toSorted(),
  ).toEqual(WELL);
  expect(sandbox.requests()).toHaveLength(2);
  const listed: JournalEntry[] = [];
  for await (const entry of payments.journal.unresolved()) listed.push(entry);
  expect(listed.map(({ reference }) => reference)).toEqual(['order-1', 'order-5', 'order-9']);
  expect(logged).toEqual([
    expect.stringMatching(/sent nothing for collection "order-5" \(.+\): unresolved\(\) lists/),
  ]);
  return listed;
}

/** A repeated call gets the error that the payment may have been made, and sends nothing. */
async function isNeverMadeAgain(): Promise<void> {
  const call = payments.collections.mobileMoney({ ...collectionRequest, reference: 'order-5' });
  await expect(call).rejects.toMatchObject({ name: 'PaymentOutcomeUnknownError', evidence: 'interrupted' });
  const settled = await payments.journal.settle('collection', 'order-5', 'failed');
  expect(settled).toMatchObject({ state: 'settled', outcome: 'failed' });
  expect(settled).not.toHaveProperty('damaged');
  await expect(
    payments.collections.mobileMoney({ ...collectionRequest, reference: 'order-5' }),
  ).rejects.toMatchObject({ name: 'ReferenceReusedError' });
  expect(sandbox.requests()).toHaveLength(2);
}

describe('an entry of the journal that this version cannot deal with', () => {
  beforeEach(async () => {
    let now = 1_800_000_000_000;
    const pass = (ms: number): void => void (now += ms);
    await start({ storage: memoryStorage({ now: () => now }), pass, close: () => Promise.resolve() });
  });

  it.each<[string, Partial<JournalRecord>, RegExp]>([
    ['an entry whose request is cut off', { body: '{"reference":"ord' }, /request cannot be read/],
    ['an entry whose request is no object', { body: '"order-5"' }, /request cannot be read/],
    [
      'an entry with an operation of a newer version',
      { operation: 'collection.card' as JournalRecord['operation'] },
      /does not know its operation "collection.card"/,
    ],
    [
      'an entry with an operation that every object has as a property',
      { operation: 'constructor' as JournalRecord['operation'] },
      /does not know its operation "constructor"/,
    ],
    [
      'an entry in a state of a newer version',
      { state: 'on-hold' as JournalState },
      /does not know its state "on-hold"/,
    ],
  ])(
    '%s is listed and logged, is never sent, and does not stop the recovery of others',
    async (_, change, why) => {
      await recoverWith(() => place.storage.journal.insert(open('order-5', change), 0));
      expect(logged[0]).toMatch(why);
      const again = payments.collections.mobileMoney({ ...collectionRequest, reference: 'order-5' });
      await expect(again).rejects.toMatchObject({ name: /Unknown|Reused/ });
      expect(sandbox.requests()).toHaveLength(2);
    },
  );
});

describeWith([postgresService], 'a row of PostgreSQL that cannot be read', () => {
  let database: PaymentsDatabase;

  beforeEach(async () => {
    database = await borrowPaymentsDatabase(postgresService.url);
    const { pool, schema } = database;
    await start({
      storage: postgresStorage({ pool, schema }),
      pass: (ms) => database.pass(ms),
      close: () => database.close(),
    });
  });

  it.each([
    ['null', `'null'`],
    ['an empty object', `'{}'`],
    ['a list', `'[]'`],
    ['another reference', `replace(record::text, 'order-5', 'order-6')::json`],
    ['a number for its key', `replace(record::text, '"key-of-order-5"', '7')::json`],
  ])(
    'a row whose record is %s is listed and logged, is never sent, and does not stop the recovery of others',
    async (_, record) => {
      const listed = await recoverWith(async () => {
        await place.storage.journal.insert(open('order-5'), 0);
        await database.pool.query(
          `UPDATE payments_journal SET record = ${record} WHERE reference = 'order-5'`,
        );
      });
      expect(listed[1]).toMatchObject({
        state: 'in-flight',
        attempt: 1,
        damaged: expect.stringMatching(/^its /) as unknown,
      });
      await isNeverMadeAgain();
    },
  );
});

describeWith([redisService], 'a row of Redis that cannot be read', () => {
  let client: Redis;
  let prefix: string;
  const rows = (): string => `${prefix}{default:sandbox}:journal:collection`;
  const damage = async (change: (row: string) => string): Promise<void> => {
    await place.storage.journal.insert(open('order-5'), 0);
    const row = (await client.hget(rows(), '"order-5"')) ?? '';
    await client.hset(rows(), '"order-5"', change(row));
  };

  beforeEach(async () => {
    client = connectRedis();
    prefix = ownPrefix();
    const travelling = new TimeTravellingRedis(client);
    await start({
      storage: redisStorage({ client: travelling, keyPrefix: prefix }),
      pass: (ms) => {
        travelling.pass(ms);
      },
      close: async () => {
        await forget(client, prefix);
        client.disconnect();
      },
    });
  });

  it.each<[string, (row: string) => string]>([
    ['is cut off', (row) => row.slice(0, -20)],
    ['holds no record', (row) => row.slice(0, row.indexOf('{'))],
    ['names another reference', (row) => row.replace('"order-5"', '"order-6"')],
  ])(
    'an entry of Redis that %s is listed and logged, is never sent, and does not stop the recovery of others',
    async (_, change) => {
      const listed = await recoverWith(() => damage(change));
      expect(listed[1]).toMatchObject({
        state: 'in-flight',
        attempt: 1,
        damaged: expect.stringMatching(/^its /) as unknown,
      });
      await isNeverMadeAgain();
    },
  );

  it('no entry is changed and nothing is sent if a newer version changed the format of Redis', async () => {
    const { journal, inbox } = place.storage;
    await journal.insert(open('order-1'), 0);
    await client.set(`${prefix}{default:sandbox}:format`, '2');
    const newer = redisStorage({ client, keyPrefix: prefix });
    const refused = {
      name: 'PaymentsStorageError',
      message: expect.stringMatching(/format "2", .* knows 1 at most: deploy/) as unknown,
    };
    await expect(newer.journal.insert(open('order-2'), 0)).rejects.toMatchObject(refused);
    await expect(newer.inbox.claim(inboxDelivery('order-1'), 60_000)).rejects.toMatchObject(refused);
    expect((await inbox.claim(inboxDelivery('order-1'), 60_000)).result).toBe('claimed');
  });

  it('an entry of Redis that holds another text is listed and logged, and stops neither the recovery of others nor a purge', async () => {
    const listed = await recoverWith(() => damage(() => 'something else'));
    expect(listed[1]).toMatchObject({
      reference: 'order-5',
      damaged: expect.stringContaining('something else') as unknown,
    });
    const call = payments.collections.mobileMoney({ ...collectionRequest, reference: 'order-5' });
    await expect(call).rejects.toMatchObject({ name: 'PaymentOutcomeUnknownError' });
    await payments.journal.settle('collection', 'order-1', 'success');
    await place.pass(10_000);
    await client.zadd(`${rows()}:settled`, 1, '"order-5"');
    expect(await payments.journal.purge({ olderThanMs: 5_000 })).toBe(1);
    await isNeverMadeAgain();
  });

  it('an entry that gets lost during its call is written again by that call', async () => {
    sandbox.on('payment', () => {
      void client.hdel(rows(), '"order-5"');
    });
    await payments.collections.mobileMoney({ ...collectionRequest, reference: 'order-5' });
    const entry = await payments.journal.get('collection', 'order-5');
    expect(entry).toMatchObject({ state: 'accepted', operation: 'collection.mobile-money' });
    expect(entry).not.toHaveProperty('damaged');
  });

  it('an entry that is gone, and that only the list names, is listed and logged, and an operator can settle it', async () => {
    const listed = await recoverWith(async () => {
      await place.storage.journal.insert(open('order-5'), 0);
      await client.hdel(rows(), '"order-5"');
    });
    expect(listed[1]).toMatchObject({ damaged: expect.stringContaining('something else') as unknown });
    await isNeverMadeAgain();
  });
});
