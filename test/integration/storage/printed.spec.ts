import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Redis } from 'ioredis';
import { Pool } from 'pg';
import { aesGcm, envelope, memoryStorage, type PaymentsStorage } from 'nestjs-payments';
import { bullmqEngine } from 'nestjs-payments/bullmq';
import { postgresStorage } from 'nestjs-payments/postgres';
import { redisStorage } from 'nestjs-payments/redis';
import { sqlStorage, type SqlExecutor } from 'nestjs-payments/sql';
import { inboxDelivery } from '../../support/inbox-contract.js';
import { journalRecord } from '../../support/journal-contract.js';
import { printed } from '../../support/printed.js';
import { sealed } from '../../support/sealed-storage.js';

const PASSWORD = 'correct-horse';
const CUSTOMER = '255712345678';
const SCOPE = { account: 'default', environment: 'sandbox' } as const;
/** Where nobody listens. */
const NOWHERE = `${PASSWORD}@127.0.0.1:1`;

let closing: (() => unknown)[];

beforeEach(() => {
  closing = [];
});
afterEach(async () => {
  for (const close of closing) await close();
});

function client(): Redis {
  const opened = new Redis(`redis://shop:${NOWHERE}`, { lazyConnect: true });
  opened.on('error', () => {});
  closing.push(() => {
    opened.disconnect();
  });
  return opened;
}

function pool(): Pool {
  const opened = new Pool({ connectionString: `postgres://shop:${NOWHERE}/shop` });
  closing.push(() => opened.end());
  return opened;
}

/** A database that never answers, on a pool that shows its password, as that of `mysql2` does. */
function executor(): SqlExecutor {
  const sent: unknown[] = [];
  const never = (...statement: unknown[]): Promise<never> => {
    sent.push(statement);
    return new Promise(() => undefined);
  };
  const config = { connectionLimit: 10, connectionConfig: { password: PASSWORD } };
  return {
    dialect: 'mysql',
    pool: { config, sent },
    query: never,
    execute: never,
    transaction: never,
    wrapTransaction: () => ({ query: never, execute: never, handle: {} }),
  };
}

/** Begins what a store does with personal data, and does not wait for it. */
function use({ journal, inbox, conflicts }: PaymentsStorage): readonly Promise<unknown>[] {
  const event = {
    kind: 'conflict',
    event: 'payment.success',
    reference: 'order-1',
    fingerprint: 'f',
  } as const;
  return [
    journal.insert(journalRecord('order-1', { body: CUSTOMER }), 60_000),
    inbox.claim(inboxDelivery('order-1'), 60_000),
    conflicts.setAside({ ...SCOPE, ...event, payload: CUSTOMER }),
    journal.accounts({ limit: 1 }),
  ].map((work) => work.catch(() => undefined));
}

function secretsIn(value: unknown): readonly string[] {
  const text = printed(value);
  return [PASSWORD, CUSTOMER].filter((secret) => text.includes(secret));
}

describe.each<[string, () => PaymentsStorage]>([
  ['memoryStorage()', () => memoryStorage()],
  [
    'redisStorage({ url })',
    () => {
      const storage = redisStorage({ url: `redis://shop:${NOWHERE}` });
      closing.push(() => storage.close?.());
      return storage;
    },
  ],
  ['redisStorage({ client })', () => redisStorage({ client: client() })],
  ['postgresStorage({ pool })', () => postgresStorage({ pool: pool() })],
  [
    'postgresStorage({ pool, transactional: true })',
    () => postgresStorage({ pool: pool(), transactional: true }),
  ],
  ['prepared statements', () => postgresStorage({ pool: pool(), preparedStatements: true })],
  ['sqlStorage({ executor })', () => sqlStorage({ executor: executor() })],
  [
    'sqlStorage({ executor, transactional: true, migrate: true })',
    () => sqlStorage({ executor: executor(), transactional: true, migrate: true }),
  ],
])('%s shows no password and no customer', (name, open) => {
  it.each<[string, (storage: PaymentsStorage) => PaymentsStorage]>([
    ['in the clear', (storage) => storage],
    ['with encryption', sealed],
  ])('before, during and after its use, %s', async (_how, around) => {
    const storage = around(open());
    expect(secretsIn(storage)).toEqual([]);
    const works = use(storage);
    expect(secretsIn(storage)).toEqual([]);
    await new Promise(setImmediate);
    expect(secretsIn(storage)).toEqual([]);
    for (const close of closing.splice(0)) await close();
    if (!name.startsWith('sqlStorage')) await Promise.all(works);
    expect(secretsIn(storage)).toEqual([]);
  });
});

it('bullmqEngine() shows no password, before, while and after it works', async () => {
  const engine = bullmqEngine({ connection: { host: '127.0.0.1', port: 1, password: PASSWORD } });
  expect(secretsIn(engine)).toEqual([]);
  await engine.start(() => Promise.resolve());
  expect(secretsIn(engine)).toEqual([]);
  await engine.close();
  expect(secretsIn(engine)).toEqual([]);
});

it('the option encryption shows no key', () => {
  const key = randomBytes(32);
  const kms = { wrap: () => Promise.resolve(key), unwrap: () => Promise.resolve(key) };
  for (const encryption of [
    aesGcm({ keys: { a: key }, current: 'a' }),
    envelope({ kms, keys: { a: 'alias' }, current: 'a', fingerprintKey: key }),
  ]) {
    const text = printed(encryption);
    const forms = [key.toString('base64'), key.toString('hex'), [...key].join(',')];
    expect(forms.filter((form) => text.includes(form))).toEqual([]);
  }
});
