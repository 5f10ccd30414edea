import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { getQueueToken } from '@nestjs/bullmq';
import { type INestApplication } from '@nestjs/common';
import { type Queue } from 'bullmq';
import { randomBytes } from 'node:crypto';
import diagnostics from 'node:diagnostics_channel';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Redis } from 'ioredis';
import {
  aesGcm,
  CollectionsService,
  DisbursementsService,
  envelope,
  type PaymentsEncryption,
  PaymentsInbox,
  PaymentsJournal,
  type PaymentsStorage,
} from 'nestjs-payments';
import { PaymentsQueue } from 'nestjs-payments/bullmq';
import { postgresStorage } from 'nestjs-payments/postgres';
import { redisStorage } from 'nestjs-payments/redis';
import { type PaymentsSandbox } from 'nestjs-payments/sandbox';
import { paymentEvent } from 'nestjs-payments/testing';
import { CANARIES, canariesIn } from '../../../support/canaries.js';
import { MOBILE_PAYOUT } from '../../../support/gateway-caller.js';
import { borrowPaymentsDatabase, type PaymentsDatabase } from '../../../support/payments-database.js';
import { HandlerRuns, QueueSpace } from '../../../support/queue-app.js';
import { connectRedis, forget } from '../../../support/redis.js';
import { startSandbox } from '../../../support/sandbox.js';
import { describeWith, postgresService, redisService } from '../../../support/services.js';
import { describeWithSqlite, sqliteFile, type SqliteTestFile } from '../../../support/sqlite-file.js';
import { TransitServer } from '../../../support/transit-server.js';
import { deliver, paymentsOptions, startWebhookApp } from '../../../support/webhook-app.js';
import { WebhooksController } from '../../../support/webhooks.controller.js';

const { name, phone, email, account, holder, text, metadata } = CANARIES;

/** What the gateway reports of the person. */
const PERSON = {
  customer_name: name,
  customer_phone: phone,
  customer_email: email,
  metadata: { note: text, account, holder, more: metadata },
};
const CUSTOMER = { amount: '1000.00', phone, customer_name: name, customer_email: email };
/** Where ioredis publishes its commands. */
const COMMANDS = 'tracing:ioredis:command:start';
const EVERY_CANARY = Object.keys(CANARIES).sort();
const REFERENCES = ['settled', 'open', 'wallet', 'payout', 'mobile-payout', 'lost-payout', 'nobody-knows'];

type Options = ReturnType<typeof paymentsOptions>;

/** An application as a merchant runs it. */
interface Shop {
  readonly app: INestApplication;
  readonly port: number;
}

/** The options of a shop whose payments go to the emulator. */
function optionsOf(
  sandbox: PaymentsSandbox,
  storage: PaymentsStorage,
  encryption: PaymentsEncryption | undefined,
): Options {
  const { webhooks: _own, ...gateway } = sandbox.moduleOptions();
  const more = { ...gateway, storage, probe: false as const, ...(encryption && { encryption }) };
  return paymentsOptions({ unknownReferences: 'set-aside' }, more);
}

/** Payments of all four operations that are made, repeated, refused and lost. */
async function makePayments({ app }: Shop, sandbox: PaymentsSandbox): Promise<void> {
  const collections = app.get(CollectionsService);
  const payouts = app.get(DisbursementsService);
  const failing = (work: Promise<unknown>): Promise<unknown> => work.catch((error: unknown) => error);
  const request = (reference: string) => ({
    ...CUSTOMER,
    reference,
    metadata: { note: text, more: metadata },
  });
  const pay = (reference: string) => collections.mobileMoney(request(reference));
  const bank = { amount: '1000.00', bank_code: 'BSB', account_number: account, account_name: holder };
  const payOut = (reference: string) => payouts.bank({ ...bank, reference, remarks: text });
  const settled = await pay('settled');
  expect((await pay('settled')).reference).toBe(settled.reference);
  await pay('open');
  await collections.partnerWallet(request('wallet'));
  await payOut('payout');
  await payouts.mobileMoney({
    ...MOBILE_PAYOUT,
    recipient_phone: phone,
    recipient_name: holder,
    reference: 'mobile-payout',
  });
  sandbox.next('POST /payments/mobile-money').status(422, { code: 'LIMIT_EXCEEDED' });
  await failing(pay('refused'));
  sandbox.next('POST /payments/mobile-money').dropAfterProcessing();
  await failing(pay('lost'));
  sandbox.next('POST /disbursements/bank').dropAfterProcessing();
  await failing(payOut('lost-payout'));
}

/** Outcomes, contradictions, a mismatch, and events that nobody knows. */
async function receiveEvents({ port }: Shop): Promise<void> {
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
}

/** In the clear, the application has everything. */
async function expectEverything({ app }: Shop): Promise<void> {
  const kinds = (await app.get(PaymentsInbox).conflicts()).map(({ kind, payload }) => ({
    kind,
    found: canariesIn(payload),
  }));
  expect(kinds.map(({ kind }) => kind).sort()).toEqual([
    'conflict',
    'mismatch',
    'unknown-reference',
    'unknown-reference',
    'unrecognized',
  ]);
  for (const { found } of kinds) expect(Array.from(found).sort()).toEqual(EVERY_CANARY);
  expect((await app.get(PaymentsJournal).get('collection', 'settled'))?.outcome).toBe('success');
}

/** The whole life of a shop without a queue. */
async function live(storage: PaymentsStorage, encryption: PaymentsEncryption | undefined): Promise<void> {
  const sandbox = await startSandbox({ clock: 'manual', seed: 1 });
  const shop = await startWebhookApp('express', {
    payments: [optionsOf(sandbox, storage, encryption)],
    controllers: [WebhooksController],
  });
  try {
    await makePayments(shop, sandbox);
    await receiveEvents(shop);
    await expectEverything(shop);
  } finally {
    await shop.app.close();
  }
}

let transit: TransitServer;
beforeAll(async () => {
  transit = await TransitServer.start('payments');
});
afterAll(() => transit.close());

const ENCRYPTIONS: readonly (readonly [string, () => PaymentsEncryption])[] = [
  [
    'aesGcm()',
    () => aesGcm({ keys: { '2026-10': randomBytes(32), '2026-11': randomBytes(32) }, current: '2026-11' }),
  ],
  [
    'envelope()',
    () =>
      envelope({
        kms: transit.client(),
        keys: { '2026-11': 'payments' },
        current: '2026-11',
        fingerprintKey: randomBytes(32),
      }),
  ],
];

/** What is stored must hold everything without encryption, so that a scan that finds nothing means something. */
function scanned(title: string, run: (encryption?: PaymentsEncryption) => Promise<string>): void {
  describe(title, () => {
    it('holds every canary without an encryption', async () => {
      expect(Array.from(canariesIn(await run())).sort()).toEqual(EVERY_CANARY);
    });

    it.each(ENCRYPTIONS)('holds none with %s, and the references in the clear', async (_name, encryption) => {
      const dump = await run(encryption());
      expect(canariesIn(dump)).toEqual([]);
      expect(dump).toMatch(/sealed:1:2026-11[:~]/);
      for (const reference of REFERENCES) expect(dump).toContain(reference);
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
    database = await borrowPaymentsDatabase(postgresService.url);
  });
  afterEach(() => database.close());

  scanned('all text of all tables', async (encryption) => {
    const { pool, schema } = database;
    await live(postgresStorage({ pool, schema, transactional: true }), encryption);
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

describeWith([redisService], 'a dump of Redis with BullMQ', () => {
  let space: QueueSpace;
  let redis: Redis;
  /** What ioredis tells a tracer of every command. */
  let traced: unknown[];
  const trace = (command: unknown): void => {
    traced.push(command);
  };
  beforeAll(() => {
    redis = connectRedis();
  });
  afterAll(() => redis.quit());
  beforeEach(() => {
    space = new QueueSpace();
    traced = [];
    diagnostics.subscribe(COMMANDS, trace);
  });
  afterEach(async () => {
    diagnostics.unsubscribe(COMMANDS, trace);
    await space.clear();
    await forget(redis, space.prefix);
  });

  scanned('storage, traced commands, and jobs that wait, are done and have failed', async (encryption) => {
    const sandbox = await startSandbox({ clock: 'manual', seed: 1 });
    const storage = redisStorage({ client: redis, keyPrefix: `${space.prefix}storage:` });
    const payments = optionsOf(sandbox, storage, encryption);
    const receiving = await space.start('express', { worker: false }, { payments });
    await makePayments(receiving, sandbox);
    await receiveEvents(receiving);
    const jobs = await dumpRedis(redis, `${space.prefix}:`);
    if (!encryption) expect(Array.from(canariesIn(jobs)).sort()).toEqual(EVERY_CANARY);
    const runs = new HandlerRuns();
    runs.behaviour = ({ data }) => {
      if (data.reference === 'settled') throw new Error(`${name} of ${phone} is not known to the shop`);
    };
    const retry = { maxAttempts: 1, baseDelayMs: 1, maxDelayMs: 1 };
    const working = await space.start('express', { retry }, { payments, runs });
    await vi.waitFor(
      async () => {
        expect(await working.app.get(PaymentsQueue).failed()).toHaveLength(1);
        const queue = working.app.get<Queue>(getQueueToken('payments-webhooks'));
        const { waiting = 0, active = 0, delayed = 0 } = await queue.getJobCounts();
        expect(waiting + active + delayed).toBe(0);
      },
      { timeout: 20_000, interval: 50 },
    );
    const commands = JSON.stringify(traced);
    if (!encryption) expect(Array.from(canariesIn(commands)).sort()).toEqual(EVERY_CANARY);
    return jobs + commands + (await dumpRedis(redis, space.prefix));
  });
});

describeWithSqlite('the file of SQLite', () => {
  let file: SqliteTestFile;
  beforeEach(() => {
    file = sqliteFile();
  });
  afterEach(() => file.close());

  scanned('all bytes, those of its log included', async (encryption) => {
    await live(file.open(), encryption);
    const folder = dirname(file.file);
    return readdirSync(folder)
      .map((found) => readFileSync(join(folder, found), 'latin1'))
      .join('\n');
  });
});

async function dumpRedis(client: Redis, prefix: string): Promise<string> {
  const texts: string[] = [];
  for await (const keys of client.scanStream({ match: `${prefix}*`, count: 1_000 })) {
    for (const key of keys as string[]) {
      const bytes = await client.dumpBuffer(key);
      texts.push(key, JSON.stringify(await valueOf(client, key)), bytes.toString('latin1'));
    }
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
