import { createHmac, randomBytes, randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { type INestApplication, Logger } from '@nestjs/common';
import {
  CollectionsService,
  type JournalEntry,
  PaymentsInbox,
  PaymentsJournal,
  PaymentsValidationError,
  type PaymentWebhookEvent,
} from 'nestjs-payments';
import { PaymentsSandbox } from 'nestjs-payments/sandbox';
import { Client } from 'pg';
import { DataSource, EntityManager } from 'typeorm';
import '../../../test/support/pglite-template.js';
import { closeInRecovery } from '../../../test/support/close-in-recovery.js';
import { dropDatabase } from '../../../test/support/drop-database.js';
import { describeWith, postgresService } from '../../../test/support/services.js';
import { type Order } from '../src/orders/order.entity.js';
import { OutcomesService } from '../src/orders/outcomes.service.js';
import { type Product } from '../src/orders/product.entity.js';
import { ReceiptPrinter } from '../src/orders/receipt.printer.js';
import { RecoveryService } from '../src/orders/recovery.service.js';
import { createShop } from '../src/shop.js';

const PHONE = '255712345678';
const ASK = 'POST /payments/mobile-money';
const CUSTOMER = { phone: '0712 345 678', name: 'Asha Mrema', email: 'asha@example.com' };

let sandbox: PaymentsSandbox;
let shop: INestApplication;

async function open(databaseUrl: string): Promise<void> {
  Object.assign(process.env, {
    DATABASE_URL: databaseUrl,
    PAYMENTS_BASE_URL: sandbox.baseUrl,
    PAYMENTS_API_KEY: 'pk_test_demo',
    PAYMENTS_API_SECRET: 'sk_test_demo',
    PAYMENTS_WEBHOOK_SECRET: sandbox.webhookSecret,
  });
  shop = await createShop({ logger: false, abortOnError: false });
  shop.enableShutdownHooks();
  await shop.listen(0, '127.0.0.1');
  sandbox.deliverTo(`${await shop.getUrl()}/webhooks/payments`);
}

async function order(
  quantity = 3,
  checkout = randomUUID(),
  change: object = {},
): Promise<{ readonly status: number; readonly body: Order }> {
  const answer = await fetch(`${await shop.getUrl()}/orders`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ checkout, product: 'honey', quantity, ...CUSTOMER, ...change }),
  });
  return { status: answer.status, body: (await answer.json()) as Order };
}

async function ordered(): Promise<string> {
  return (await order()).body.reference;
}

async function read<Body>(path: string): Promise<Body> {
  return (await (await fetch(`${await shop.getUrl()}${path}`)).json()) as Body;
}

/** The gateway delivers its first webhook again. */
async function deliverAgain(): Promise<number> {
  return deliver(sandbox.deliveries()[0]!.body);
}

async function deliver(body: string): Promise<number> {
  const signature = createHmac('sha256', sandbox.webhookSecret).update(body).digest('hex');
  const headers = { 'content-type': 'application/json', 'x-webhook-signature': signature };
  return (await fetch(`${await shop.getUrl()}/webhooks/payments`, { method: 'POST', headers, body })).status;
}

const statusOf = async (reference: string): Promise<string> =>
  (await read<Order>(`/orders/${reference}`)).status;
async function recovered(reference: string): Promise<string> {
  await shop.get(RecoveryService).lookAfterPayments();
  return statusOf(reference);
}

/** As if six minutes went by. */
async function waitLong(): Promise<void> {
  await shop.get(DataSource).query("UPDATE orders SET asked_at = asked_at - interval '6 minutes'");
}

const honeyLeft = async (): Promise<number> => (await read<readonly Product[]>('/products'))[0]!.stock;

function specs(databaseUrl: () => string): void {
  let before: number;

  beforeEach(async () => {
    sandbox = await PaymentsSandbox.start({ clock: 'manual', seed: 1 });
    await open(databaseUrl());
    await shop.get(DataSource).query('UPDATE products SET stock = 40');
    before = await honeyLeft();
  });
  afterEach(async () => {
    await shop.close();
    await sandbox.stop();
  });

  it('an order is paid and its goods leave the stock once, however often the webhook comes', async () => {
    const { status, body } = await order();
    expect({ status, body }).toMatchObject({ status: 201, body: { amount: '36000.00', status: 'waiting' } });
    await sandbox.customer(PHONE).approve(body.reference);
    expect([await deliverAgain(), await deliverAgain(), await deliverAgain()]).toEqual([200, 200, 200]);
    expect(await statusOf(body.reference)).toBe('paid');
    expect(await honeyLeft()).toBe(before - 3);
  });

  it('nothing of a webhook is written if its handler throws after its writes, and the next delivery writes it once', async () => {
    const reference = await ordered();
    const increment = vi.spyOn(EntityManager.prototype, 'increment').mockImplementationOnce(() => {
      throw new Error('The connection was lost.');
    });
    await sandbox.customer(PHONE).decline(reference);
    expect([await statusOf(reference), await honeyLeft()]).toEqual(['waiting', before - 3]);
    expect(await deliverAgain()).toBe(200);
    expect([await statusOf(reference), await honeyLeft()]).toEqual(['not-paid', before]);
    expect(increment).toHaveBeenCalledTimes(2);
    increment.mockRestore();
  });

  it('a receipt is printed after the commit, and again if the printer had no paper', async () => {
    const print = vi.spyOn(shop.get(ReceiptPrinter), 'print').mockImplementationOnce(() => {
      throw new Error('The printer is out of paper.');
    });
    const reference = await ordered();
    await sandbox.customer(PHONE).approve(reference);
    expect([await statusOf(reference), print.mock.calls]).toEqual(['paid', []]);
    const recovery = shop.get(RecoveryService);
    await expect(recovery.lookAfterPayments()).rejects.toThrow('The printer is out of paper.');
    for (let run = 0; run < 2; run += 1) await recovery.lookAfterPayments();
    expect(print.mock.calls).toEqual([[reference], [reference]]);
  });

  it('an order that is sent again is one payment, and takes its goods once', async () => {
    const checkout = randomUUID();
    sandbox.next(ASK).dropAfterProcessing();
    const answers = await Promise.all([order(3, checkout), order(3, checkout)]);
    answers.push(await order(3, checkout));
    const reference = `order-${checkout}`;
    for (const { body } of answers) expect(body).toMatchObject({ reference, status: 'waiting' });
    expect([sandbox.payments().length, await honeyLeft()]).toEqual([1, before - 3]);
    await sandbox.customer(PHONE).decline(reference);
    expect((await order(3, checkout)).body).toMatchObject({ reference, status: 'not-paid' });
    expect([sandbox.payments().length, await honeyLeft()]).toEqual([1, before]);
  });

  it.each([
    { quantity: 20 },
    { product: 'salt' },
    { phone: '0754 000 111' },
    { name: 'Neema Mushi' },
    { email: 'neema@example.com' },
  ])('an order that is sent again with %o is refused, and stays as it was', async (change) => {
    const checkout = randomUUID();
    const { body } = await order(3, checkout);
    expect((await order(3, checkout, change)).status).toBe(409);
    const { reference, amount, status } = body;
    expect((await order(3, checkout, { phone: PHONE })).body).toMatchObject({ reference, amount, status });
    expect([sandbox.payments().length, await honeyLeft()]).toEqual([1, before - 3]);
    expect(body).not.toHaveProperty('request');
  });

  it('nobody is asked to pay for more than the stock holds', async () => {
    const answers = await Promise.all([order(20), order(19), order(2)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 409]);
    expect([sandbox.payments().length, await honeyLeft()]).toEqual([2, expect.any(Number)]);
    expect(await honeyLeft()).toBeGreaterThanOrEqual(0);
  });

  it('an order that cannot be looked after delays no other one', async () => {
    const references = [await ordered(), await ordered()];
    const journal = shop.get(PaymentsJournal);
    for (const reference of references) await journal.settle('collection', reference, 'success');
    const get = journal.get.bind(journal);
    vi.spyOn(journal, 'get').mockImplementation((family, reference) =>
      reference === references[0] ? Promise.reject(new Error('It cannot be read.')) : get(family, reference),
    );
    await shop.get(RecoveryService).lookAfterPayments();
    expect(await Promise.all(references.map(statusOf))).toEqual(['waiting', 'paid']);
  });

  it('an order waits if another amount is paid, and is in review after a person has released the webhook', async () => {
    const reference = await ordered();
    const data = { reference, amount: '1.00', currency: 'TZS', status: 'success' };
    expect(await deliver(JSON.stringify({ event: 'payment.success', data }))).toBe(200);
    expect(await statusOf(reference)).toBe('waiting');
    const inbox = shop.get(PaymentsInbox);
    const mismatch = (await inbox.conflicts()).find((one) => one.reference === reference);
    await inbox.release(mismatch!.id);
    expect(await statusOf(reference)).toBe('review');
  });

  it('a person decides about an order that is paid after its goods were sold', async () => {
    const reference = await ordered();
    await sandbox.customer(PHONE).decline(reference);
    await shop.get(DataSource).query('UPDATE products SET stock = 2');
    const outcomes = shop.get(OutcomesService);
    const paid = { reference, amount: '36000.00', state: 'settled', outcome: 'success' } as JournalEntry;
    await shop.get(DataSource).transaction((transaction) => outcomes.ended(paid, transaction));
    expect([await statusOf(reference), await honeyLeft()]).toEqual(['review', 2]);
  });

  it('an order waits if the answer of the gateway is lost, and the webhook pays it', async () => {
    sandbox.next(ASK).dropAfterProcessing();
    const { status, body } = await order();
    expect({ status, body }).toMatchObject({ status: 201, body: { status: 'waiting' } });
    await sandbox.customer(PHONE).approve(body.reference);
    expect(await statusOf(body.reference)).toBe('paid');
  });

  it('an order is not paid after a refusal that proves it, which the customer is told', async () => {
    sandbox.next(ASK).status(422, { code: 'INVALID_PHONE' });
    const { status, body } = await order();
    expect([status, await statusOf(body.reference)]).toEqual([422, 'not-paid']);
    expect(await honeyLeft()).toBe(before);
  });

  it.each([401, 422])(
    'an order waits after %i, which proves nothing, and the webhook pays it',
    async (answer) => {
      sandbox.next(ASK).status(answer);
      const { body } = await order();
      expect(await statusOf(body.reference)).toBe('waiting');
      const data = { reference: body.reference, amount: '36000.00', currency: 'TZS', status: 'success' };
      expect(await deliver(JSON.stringify({ event: 'payment.success', data }))).toBe(200);
      expect([await statusOf(body.reference), await honeyLeft()]).toEqual(['paid', before - 3]);
    },
  );

  it.each([
    ['the gateway turned its call away', () => sandbox.next(ASK).status(401)],
    ['the gateway refused it without a code', () => sandbox.next(ASK).status(422)],
    ['the gateway cannot be reached', () => sandbox.stop()],
    [
      'the process died before its call',
      () =>
        vi.spyOn(shop.get(CollectionsService), 'mobileMoney').mockImplementationOnce(() => {
          throw new Error('The process died.');
        }),
    ],
  ])('the goods of an order return after a while if %s, and it is never asked for again', async (_, fail) => {
    const checkout = randomUUID();
    await fail();
    expect((await order(3, checkout)).status).toBeGreaterThanOrEqual(400);
    expect(await honeyLeft()).toBe(before - 3);
    expect(await recovered(`order-${checkout}`)).toBe('waiting');
    await waitLong();
    expect([await recovered(`order-${checkout}`), await honeyLeft()]).toEqual(['not-paid', before]);
    const asked = sandbox.requests().length;
    expect((await order(3, checkout)).body).toMatchObject({ status: 'not-paid' });
    expect([sandbox.requests().length, await honeyLeft()]).toEqual([asked, before]);
  });

  it('an order that was turned away is paid if the page sends it again in time, and keeps its goods', async () => {
    const checkout = randomUUID();
    sandbox.next(ASK).status(401);
    await order(3, checkout);
    await waitLong();
    const { reference } = (await order(3, checkout)).body;
    await waitLong();
    expect(await recovered(reference)).toBe('waiting');
    await sandbox.customer(PHONE).approve(reference);
    expect([await statusOf(reference), await honeyLeft()]).toEqual(['paid', before - 3]);
  });

  it('an order keeps its goods if the page sends it again while the recovery asks about it', async () => {
    const checkout = randomUUID();
    const reference = `order-${checkout}`;
    sandbox.next(ASK).status(401);
    await order(3, checkout);
    await waitLong();
    const journal = shop.get(PaymentsJournal);
    const get = journal.get.bind(journal);
    vi.spyOn(journal, 'get').mockImplementation(async (...asked) => {
      const payment = await get(...asked);
      if (asked[1] === reference) await order(3, checkout);
      return payment;
    });
    expect([await recovered(reference), await honeyLeft()]).toEqual(['waiting', before - 3]);
  });

  it('the goods of an order return at once if its call is refused before anything is sent', async () => {
    const { status, body } = await order(3, randomUUID(), { name: ' ' });
    expect([status, body, await honeyLeft()]).toEqual([
      400,
      expect.objectContaining({ mayHaveBeenProcessed: false }),
      before,
    ]);
    expect(sandbox.requests()).toEqual([]);
  });

  it('an order whose customer was asked waits if its call is refused when the page sends it again', async () => {
    const checkout = randomUUID();
    const { reference } = (await order(3, checkout)).body;
    // As after a deployment with stricter limits: such a refusal speaks of the second request alone.
    const refused = new PaymentsValidationError({ amount: ['amount must be at most 1000.00'] });
    vi.spyOn(shop.get(CollectionsService), 'mobileMoney').mockRejectedValueOnce(refused);
    expect((await order(3, checkout)).status).toBe(400);
    expect([await statusOf(reference), await honeyLeft()]).toEqual(['waiting', before - 3]);
    await sandbox.customer(PHONE).approve(reference);
    expect(await statusOf(reference)).toBe('paid');
  });

  it.each([
    ['success', 'paid', 3],
    ['expired', 'not-paid', 0],
  ] as const)('an order whose payment ends without a webhook as %s is %s', async (outcome, end, sold) => {
    sandbox.next(ASK).dropAfterProcessing();
    const { reference } = (await order()).body;
    await shop.get(PaymentsJournal).settle('collection', reference, outcome);
    const recovery = shop.get(RecoveryService);
    for (let run = 0; run < 2; run += 1) await recovery.lookAfterPayments();
    expect([await statusOf(reference), await honeyLeft()]).toEqual([end, before - sold]);
  });

  it('nobody is told to give money back if the webhook pays an order while the recovery asks about it', async () => {
    const reference = await ordered();
    const journal = shop.get(PaymentsJournal);
    const get = journal.get.bind(journal);
    vi.spyOn(journal, 'get').mockImplementationOnce(async (...asked) => {
      await sandbox.customer(PHONE).approve(reference);
      return get(...asked);
    });
    const error = vi.spyOn(Logger.prototype, 'error');
    await shop.get(RecoveryService).lookAfterPayments();
    expect([await statusOf(reference), await honeyLeft()]).toEqual(['paid', before - 3]);
    expect(error).not.toHaveBeenCalledWith(expect.stringContaining(reference));
  });

  it('the shutdown ends a run of the recovery, which asks about no further order', async () => {
    await order();
    const [journal, recovery] = [shop.get(PaymentsJournal), shop.get(RecoveryService)];
    const get = vi.spyOn(journal, 'get');
    await closeInRecovery({
      app: shop,
      journal,
      provider: journal,
      begin: () => {
        // The run at the boot may have asked.
        get.mockClear();
        recovery.onApplicationBootstrap();
      },
    });
    expect(get).not.toHaveBeenCalled();
    await open(databaseUrl());
  });

  it('the goods of an order leave once if the office releases a second charge of it', async () => {
    const reference = await ordered();
    await sandbox.customer(PHONE).approve(reference);
    const event = JSON.parse(sandbox.deliveries()[0]!.body) as PaymentWebhookEvent;
    const again = { ...event, data: { ...event.data, provider_reference: 'the-second-charge' } };
    expect(await deliver(JSON.stringify(again))).toBe(200);
    const inbox = shop.get(PaymentsInbox);
    const conflicts = await inbox.conflicts();
    const conflict = conflicts.find((one) => one.reference === reference);
    const error = vi.spyOn(Logger.prototype, 'error');
    await inbox.release(conflict!.id);
    expect(error).toHaveBeenCalledWith(expect.stringContaining(`${reference} was paid already`));
    expect([await statusOf(reference), await honeyLeft()]).toEqual(['paid', before - 3]);
  });

  it.each(['decline', 'cancel', 'expire'] as const)('an order is not paid after %s', async (what) => {
    const reference = await ordered();
    await sandbox.customer(PHONE)[what](reference);
    expect([await statusOf(reference), await honeyLeft()]).toEqual(['not-paid', before]);
  });

  it.each([
    ['failed', 200],
    ['cancelled', 200],
    ['expired', 200],
    ['success', 500],
  ])('a webhook of an order that is not the shop’s gets, after %s, %i', async (status, answer) => {
    const data = { reference: `order-of-another-system-${status}`, amount: '10.00', currency: 'TZS', status };
    expect(await deliver(JSON.stringify({ event: `payment.${status}`, data }))).toBe(answer);
  });

  it('several webhooks at once are all answered, and every order is paid', async () => {
    const references = await Promise.all(Array.from({ length: 12 }, ordered));
    await Promise.all(references.map((reference) => sandbox.customer(PHONE).approve(reference)));
    expect(new Set(await Promise.all(references.map(statusOf)))).toEqual(new Set(['paid']));
    expect(await honeyLeft()).toBe(before - 36);
  });
}

describe('the shop on PGlite', () => {
  specs(() => '');
});

describeWith([postgresService], 'the shop on PostgreSQL', () => {
  const database = `shop_${randomBytes(6).toString('hex')}`;
  beforeAll(async () => {
    const server = new Client({ connectionString: postgresService.url });
    await server.connect();
    await server.query(`CREATE DATABASE ${database}`);
    await server.end();
  });
  afterAll(() => dropDatabase(postgresService.url, database));

  specs(() => Object.assign(new URL(postgresService.url), { pathname: database }).href);
});
