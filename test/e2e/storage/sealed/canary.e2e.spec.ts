import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Redis } from 'ioredis';
import {
  aesGcm,
  CollectionsService,
  DisbursementsService,
  PaymentsInbox,
  PaymentsJournal,
  type PaymentsStorage,
} from 'nestjs-payments';
import { postgresStorage } from 'nestjs-payments/postgres';
import { redisStorage } from 'nestjs-payments/redis';
import { paymentEvent } from 'nestjs-payments/testing';
import { CANARIES, canariesIn } from '../../../support/canaries.js';
import { openPaymentsDatabase, type PaymentsDatabase } from '../../../support/payments-database.js';
import { HandlerRuns, QueueSpace } from '../../../support/queue-app.js';
import { connectRedis } from '../../../support/redis.js';
import { redisOfSpecs } from '../../../support/redis-of-specs.js';
import { startSandbox } from '../../../support/sandbox.js';
import { describeWith, postgresService, redisService } from '../../../support/services.js';
import { describeWithSqlite, sqliteFile, type SqliteTestFile } from '../../../support/sqlite-file.js';
import { deliver, paymentsOptions, startWebhookApp } from '../../../support/webhook-app.js';
import { WebhooksController } from '../../../support/webhooks.controller.js';

const KEYS = { '2026-10': randomBytes(32), '2026-11': randomBytes(32) };
const encryption = aesGcm({ keys: KEYS, current: '2026-11' });
const { name, phone, email, account, holder, text, metadata } = CANARIES;

/** What the gateway reports of the person. */
const PERSON = {
  customer_name: name,
  customer_phone: phone,
  customer_email: email,
  metadata: { note: text, account, holder, more: metadata },
};
const REQUEST = { amount: '1000.00', phone, customer_name: name, customer_email: email };
const EVERY_CANARY = Object.keys(CANARIES).sort();

/** Payments that are made, refused, lost, settled and contradicted, each of them with every canary that fits. */
async function live(storage: PaymentsStorage, isSealed: boolean): Promise<void> {
  const sandbox = await startSandbox({ clock: 'manual', seed: 1 });
  const { webhooks: _own, ...gateway } = sandbox.moduleOptions();
  const options = { ...gateway, storage, probe: false as const, ...(isSealed && { encryption }) };
  const { app, port } = await startWebhookApp('express', {
    payments: [paymentsOptions({ unknownReferences: 'set-aside' }, options)],
    controllers: [WebhooksController],
  });
  try {
    const collections = app.get(CollectionsService);
    const payouts = app.get(DisbursementsService);
    const failing = (work: Promise<unknown>): Promise<unknown> => work.catch((error: unknown) => error);
    const pay = (reference: string) =>
      collections.mobileMoney({ ...REQUEST, reference, metadata: { note: text, more: metadata } });
    const payOut = (reference: string) =>
      payouts.bank({
        reference,
        amount: '1000.00',
        bank_code: 'BSB',
        account_number: account,
        account_name: holder,
        remarks: text,
      });
    const settled = await pay('settled');
    expect((await pay('settled')).reference).toBe(settled.reference);
    await pay('open');
    await payOut('payout');
    sandbox.next('POST /payments/mobile-money').status(422, { code: 'LIMIT_EXCEEDED' });
    await failing(pay('refused'));
    sandbox.next('POST /payments/mobile-money').dropAfterProcessing();
    await failing(pay('lost'));
    sandbox.next('POST /disbursements/bank').dropAfterProcessing();
    await failing(payOut('lost-payout'));
    const send = async (event: string, reference: string, more: object = {}): Promise<void> => {
      const body = paymentEvent(event, { reference, amount: '1000.00', ...PERSON, ...more });
      expect((await deliver(port, body)).status).toBe(200);
    };
    await send('payment.success', 'settled');
    await send('payment.failed', 'settled');
    await send('payment.success', 'open', { amount: '9.00' });
    await send('payment.refunded', 'open');
    await send('payment.success', 'nobody-knows');
    await send('payment.odd', 'nobody-knows');
    const kinds = (await app.get(PaymentsInbox).conflicts()).map(({ kind, payload }) => ({
      kind,
      found: canariesIn(payload),
    }));
    expect(kinds.map(({ kind }) => kind)).toEqual([
      'conflict',
      'mismatch',
      'unrecognized',
      'unknown-reference',
      'unknown-reference',
    ]);
    for (const { found } of kinds) expect(Array.from(found).sort()).toEqual(EVERY_CANARY);
    expect((await app.get(PaymentsJournal).get('collection', 'settled'))?.outcome).toBe('success');
  } finally {
    await app.close();
  }
}

/** What a stored journal must hold without encryption, so that a scan that finds nothing means something. */
function scanned(title: string, run: (isSealed: boolean) => Promise<string>): void {
  describe(title, () => {
    it('holds every canary without an encryption', async () => {
      expect(Array.from(canariesIn(await run(false))).sort()).toEqual(EVERY_CANARY);
    });

    it('holds none with an encryption, and the references in the clear', async () => {
      const dump = await run(true);
      expect(canariesIn(dump)).toEqual([]);
      expect(dump).toContain('sealed:1:2026-11:');
      for (const reference of ['settled', 'open', 'lost-payout', 'nobody-knows'])
        expect(dump).toContain(reference);
    });
  });
}

it('the scan finds a canary in whatever spelling', () => {
  const around = (text: string): string => `${'x'.repeat(7)}${text}${'y'.repeat(5)}`;
  for (const [at, canary] of Object.values(CANARIES).entries()) {
    const wanted = [Object.keys(CANARIES)[at]];
    expect(canariesIn(JSON.stringify({ canary }))).toEqual(wanted);
    for (const shift of [0, 1, 2]) {
      const bytes = Buffer.from('z'.repeat(shift) + around(canary));
      for (const form of ['hex', 'base64', 'base64url'] as const)
        expect(canariesIn(bytes.toString(form))).toEqual(wanted);
    }
  }
});

describeWith([postgresService], 'a dump of PostgreSQL', () => {
  let database: PaymentsDatabase;
  beforeEach(async () => {
    database = await openPaymentsDatabase(postgresService.url);
  });
  afterEach(() => database.close());

  scanned('all text of all tables', async (isSealed) => {
    const { pool, schema } = database;
    await live(postgresStorage({ pool, schema, transactional: true }), isSealed);
    const tables = await pool.query<{ name: string }>(
      'SELECT table_name AS name FROM information_schema.tables WHERE table_schema = $1',
      [schema],
    );
    expect(tables.rows.length).toBeGreaterThan(3);
    const texts: string[] = [];
    for (const table of tables.rows) {
      const { rows } = await pool.query<{ row: string }>(
        `SELECT t::text AS row FROM "${schema}"."${table.name}" t`,
      );
      // PostgreSQL doubles the quotation marks of a text within a row.
      texts.push(...rows.map(({ row }) => row.replaceAll('""', '"')));
    }
    return texts.join('\n');
  });
});

describeWith([redisService], 'a dump of Redis', () => {
  const { prefix, client } = redisOfSpecs();
  scanned('all keys of the storage', async (isSealed) => {
    const keyPrefix = `${prefix}${String(isSealed)}:`;
    await live(redisStorage({ client: client(), keyPrefix }), isSealed);
    return dumpRedis(client(), keyPrefix);
  });
});

describeWith([redisService], 'a dump of BullMQ', () => {
  let space: QueueSpace;
  let redis: Redis;
  beforeAll(() => {
    redis = connectRedis();
  });
  afterAll(() => redis.quit());
  beforeEach(() => {
    space = new QueueSpace();
  });
  afterEach(() => space.clear());

  scanned('waiting and failed jobs', async (isSealed) => {
    const events = ['settled', 'open', 'lost-payout', 'nobody-knows'].map((reference, at) =>
      paymentEvent(at === 3 ? 'payment.odd' : 'payment.success', { reference, ...PERSON }),
    );
    const payments = paymentsOptions({}, isSealed ? { encryption } : {});
    const { port } = await space.start('express', { worker: false }, { payments, runs: new HandlerRuns() });
    for (const event of events) expect((await deliver(port, event)).status).toBe(200);
    return dumpRedis(redis, space.prefix);
  });
});

describeWithSqlite('the file of SQLite', () => {
  let file: SqliteTestFile;
  beforeEach(() => {
    file = sqliteFile();
  });
  afterEach(() => file.close());

  scanned('all bytes, those of its log included', async (isSealed) => {
    await live(file.open(), isSealed);
    const folder = dirname(file.file);
    return readdirSync(folder)
      .map((found) => readFileSync(join(folder, found), 'latin1'))
      .join('\n');
  });
});

async function dumpRedis(client: Redis, prefix: string): Promise<string> {
  const texts: string[] = [];
  for await (const keys of client.scanStream({ match: `${prefix}*`, count: 1_000 })) {
    for (const key of keys as string[]) texts.push(key, JSON.stringify(await valueOf(client, key)));
  }
  expect(texts.length).toBeGreaterThan(0);
  return texts.join('\n');
}

async function valueOf(client: Redis, key: string): Promise<unknown> {
  switch (await client.type(key)) {
    case 'hash':
      return client.hgetall(key);
    case 'list':
      return client.lrange(key, 0, -1);
    case 'set':
      return client.smembers(key);
    case 'zset':
      return client.zrange(key, '0', '-1');
    case 'stream':
      return client.xrange(key, '-', '+');
    default:
      return client.get(key);
  }
}
