import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { randomBytes } from 'node:crypto';
import {
  aesGcm,
  isPaymentsError,
  type JournalEntry,
  memoryStorage,
  PaymentsAccounts,
  type PaymentsModuleOptions,
  type PaymentsStorage,
} from 'nestjs-payments';
import { postgresStorage } from 'nestjs-payments/postgres';
import { redisStorage } from 'nestjs-payments/redis';
import { type PaymentsSandbox } from 'nestjs-payments/sandbox';
import { paymentEvent, signWebhook } from 'nestjs-payments/testing';
import { BANK_PAYOUT } from '../../../support/gateway-caller.js';
import { borrowPaymentsDatabase } from '../../../support/payments-database.js';
import { type PaymentsApp, startPaymentsApp } from '../../../support/payments-app.js';
import { redisOfSpecs } from '../../../support/redis-of-specs.js';
import { startSandbox } from '../../../support/sandbox.js';
import { describeWith, postgresService, redisService } from '../../../support/services.js';
import { describeWithSqlite, sqliteFile, type SqliteTestFile } from '../../../support/sqlite-file.js';
import { SEALED_PROBLEM } from '../../../support/stored-record.js';
import { scheme, secret } from '../../../support/webhook-app.js';

const encryption = aesGcm({ keys: { first: randomBytes(32) }, current: 'first' });
const SALARY = { ...BANK_PAYOUT, amount: '1000.00', reference: 'salary-1' };
const ORDER = {
  amount: '1000.00',
  reference: 'order-1',
  phone: '255712345678',
  customer_name: 'Asha Mushi',
  customer_email: 'a@example.com',
};
const LATER_MS = 5 * 60_000;

/** A replica of before and one of after the option was added, on the same storage, as during a rolling deployment. */
interface Replicas {
  readonly sandbox: PaymentsSandbox;
  readonly sealing: PaymentsApp;
  readonly plain: PaymentsApp;
}

const running: PaymentsApp[] = [];

async function startReplicas(
  storage: PaymentsStorage,
  more: Partial<PaymentsModuleOptions> = {},
): Promise<Replicas> {
  const sandbox = await startSandbox({ clock: 'manual', seed: 1 });
  const webhooks = { scheme, secrets: [secret] };
  const options = { ...sandbox.moduleOptions(), storage, webhooks, ...more };
  const start = async (own: Partial<PaymentsModuleOptions>): Promise<PaymentsApp> => {
    const app = await startPaymentsApp({ ...options, ...own });
    running.push(app);
    return app;
  };
  return { sandbox, sealing: await start({ encryption }), plain: await start({}) };
}

async function failureOf(call: Promise<unknown>): Promise<unknown> {
  return call.then(
    () => {
      throw new Error('It did not fail.');
    },
    (error: unknown) => error,
  );
}

/** Nobody may take it for another payment, and pay it under another reference. */
async function expectUnreadable(call: Promise<unknown>, reference: string): Promise<void> {
  const error = await failureOf(call);
  expect(error).toMatchObject({
    name: 'PaymentOutcomeUnknownError',
    mayHaveBeenProcessed: true,
    reference,
    message: expect.stringContaining(SEALED_PROBLEM) as string,
  });
  expect(isPaymentsError(error) && error.hint).not.toMatch(/new reference/i);
}

const payOut = ({ disbursements }: PaymentsApp): Promise<unknown> => disbursements.bank(SALARY);
const collect = ({ collections }: PaymentsApp): Promise<unknown> => collections.mobileMoney(ORDER);

afterEach(async () => {
  for (const { app } of running.splice(0)) await app.close();
});

/** What a replica without the option does with a payout that another one has sealed. */
function paysNoSalaryTwice(open: () => Promise<PaymentsStorage> | PaymentsStorage): void {
  it('pays no salary twice that another replica has sealed', async () => {
    const { sandbox, sealing, plain } = await startReplicas(await open());
    await payOut(sealing);
    await expectUnreadable(payOut(plain), 'salary-1');
    await sealing.journal.settle('disbursement', 'salary-1', 'paid');
    await expectUnreadable(payOut(plain), 'salary-1');
    expect(await plain.journal.get('disbursement', 'salary-1')).toMatchObject({
      state: 'settled',
      outcome: 'paid',
      amount: '1000.00',
      damaged: SEALED_PROBLEM,
    });
    expect(await payOut(sealing)).toMatchObject({ reference: 'salary-1', status: 'paid' });
    expect(sandbox.requests()).toHaveLength(1);
  });
}

describe('an application without the option, on memoryStorage()', () => {
  let now: number;
  let storage: PaymentsStorage;
  beforeEach(() => {
    now = Date.now();
    storage = memoryStorage({ now: () => now });
  });

  const unresolved = async ({ journal }: PaymentsApp): Promise<readonly JournalEntry[]> => {
    const found: JournalEntry[] = [];
    for await (const entry of journal.unresolved()) found.push(entry);
    return found;
  };
  const receive = async ({ inbox }: PaymentsApp, amount = ORDER.amount): Promise<number> => {
    const body = JSON.stringify(paymentEvent('payment.success', { reference: 'order-1', amount }));
    return (await inbox.receive(body, signWebhook({ scheme, secret, body }))).status;
  };

  paysNoSalaryTwice(() => storage);

  it('calls a payment unreadable whose outcome is unknown, and sends it no second time', async () => {
    const { sandbox, sealing, plain } = await startReplicas(storage, { timeoutMs: 1_500, deadlineMs: 2_000 });
    sandbox.next('POST /payments/mobile-money').dropAfterProcessing();
    await failureOf(collect(sealing));
    await expectUnreadable(collect(plain), 'order-1');
    now += LATER_MS;
    expect(await unresolved(plain)).toMatchObject([{ reference: 'order-1', damaged: SEALED_PROBLEM }]);
    expect((await plain.journal.oldestUnresolved())?.entry.damaged).toBe(SEALED_PROBLEM);
    expect(await plain.journal.recover()).toMatchObject({ probed: 0 });
    expect(sandbox.requests()).toHaveLength(1);
    expect(await sealing.journal.recover()).toMatchObject({ probed: 1 });
    expect((await unresolved(sealing)).map(({ damaged }) => damaged)).toEqual([undefined]);
  });

  it('begins no further attempt of a payment that was refused, and takes no word for a refusal', async () => {
    const { sandbox, sealing, plain } = await startReplicas(storage);
    sandbox.next('POST /payments/mobile-money').status(422, { code: 'INVALID_PHONE' });
    await failureOf(collect(sealing));
    await expectUnreadable(collect(plain), 'order-1');
    expect(await plain.journal.get('collection', 'order-1')).toMatchObject({
      state: 'rejected',
      final: false,
    });
    expect(await sealing.journal.get('collection', 'order-1')).toMatchObject({ final: true });
    await expectUnreadable(
      plain.journal.waitForOutcome('collection', 'order-1', { timeoutMs: 1 }),
      'order-1',
    );
    expect(await collect(sealing)).toMatchObject({ reference: 'order-1' });
    expect(sandbox.requests()).toHaveLength(2);
  });

  it('settles by a webhook what it cannot read, runs its handlers, and loses nothing of it', async () => {
    const { sandbox, sealing, plain } = await startReplicas(storage);
    await collect(sealing);
    expect(await receive(plain)).toBe(200);
    expect(plain.seen.events).toEqual(['payment.success']);
    expect(await receive(sealing)).toBe(200);
    expect(sealing.seen.events).toEqual([]);
    expect(await collect(sealing)).toMatchObject({ customer_name: 'Asha Mushi', status: 'success' });
    expect(await plain.journal.waitForOutcome('collection', 'order-1', { timeoutMs: 1 })).toMatchObject({
      outcome: 'success',
      damaged: SEALED_PROBLEM,
    });
    expect(sandbox.requests()).toHaveLength(1);
  });

  it('settles by the word of an operator what it cannot read, erases nothing of it, and forgets it in time', async () => {
    const { sealing, plain } = await startReplicas(storage);
    await payOut(sealing);
    expect(await plain.journal.settle('disbursement', 'salary-1', 'paid')).toMatchObject({
      outcome: 'paid',
      damaged: SEALED_PROBLEM,
    });
    expect(await failureOf(plain.journal.erase('disbursement', 'salary-1'))).toMatchObject({
      code: 'ENTRY_OPEN',
      mayHaveBeenProcessed: true,
      message: expect.stringContaining(SEALED_PROBLEM) as string,
    });
    expect(await payOut(sealing)).toMatchObject({ account_number: SALARY.account_number, status: 'paid' });
    now += LATER_MS;
    expect(await plain.journal.purge({ olderThanMs: 1_000 })).toBe(1);
    expect(await failureOf(payOut(plain))).toMatchObject({
      name: 'ReferenceReusedError',
      mayHaveBeenProcessed: true,
    });
  });

  it('says of an event that another replica has set aside that it cannot read it', async () => {
    const { sealing, plain } = await startReplicas(storage);
    await collect(sealing);
    expect(await receive(sealing, '9.00')).toBe(200);
    const [found] = await plain.inbox.conflicts();
    expect(found).toMatchObject({ kind: 'mismatch', reference: 'order-1', damaged: SEALED_PROBLEM });
    expect(await plain.inbox.conflict(found?.id ?? '')).toEqual(found);
    expect(await plain.inbox.conflict('another')).toBeUndefined();
    const ofAll = [];
    for await (const event of plain.app.get(PaymentsAccounts).all.inbox.conflicts()) ofAll.push(event);
    expect(ofAll).toEqual([found]);
    await expect(plain.inbox.release(found?.id ?? '')).rejects.toThrow(SEALED_PROBLEM);
    const [opened] = await sealing.inbox.conflicts();
    expect(opened).not.toHaveProperty('damaged');
  });
});

describeWith([redisService], 'an application without the option, on redisStorage()', () => {
  const { prefix, client } = redisOfSpecs();
  paysNoSalaryTwice(() => redisStorage({ client: client(), keyPrefix: prefix }));
});

describeWith([postgresService], 'an application without the option, on postgresStorage()', () => {
  let close: () => Promise<void>;
  afterEach(() => close());
  paysNoSalaryTwice(async () => {
    const database = await borrowPaymentsDatabase(postgresService.url);
    close = () => database.close();
    return postgresStorage({ pool: database.pool, schema: database.schema });
  });
});

describeWithSqlite('an application without the option, on sqliteStorage()', () => {
  let file: SqliteTestFile;
  beforeEach(() => {
    file = sqliteFile();
  });
  afterEach(() => file.close());
  paysNoSalaryTwice(() => file.open());
});
