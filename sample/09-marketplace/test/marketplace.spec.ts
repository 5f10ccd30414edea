import { createHmac, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { type INestApplication } from '@nestjs/common';
import { type PaymentEventName, PaymentsAccounts } from 'nestjs-payments';
import { PaymentsSandbox } from 'nestjs-payments/sandbox';
import { paymentEvent } from 'nestjs-payments/testing';
import { Pool } from 'pg';
import '../../../test/support/pglite-template.js';
import { closeInRecovery } from '../../../test/support/close-in-recovery.js';
import { createMarketplace } from '../src/marketplace.js';
import { type Order, OrdersService } from '../src/orders/orders.service.js';
import { RecoveryService } from '../src/orders/recovery.service.js';
import { MerchantsTable } from '../src/merchants/merchants.table.js';

const KEY_OF_THE_OFFICE = 'the-key-of-the-office-of-this-test';
const PHONE = '255712345678';
const ASK = 'POST /payments/mobile-money';
const CUSTOMER = { phone: '0712 345 678', name: 'Asha Mrema', email: 'asha@example.com' };
const secretOf = (merchant: string): string => `the-webhook-secret-of-${merchant}`;

let sandbox: PaymentsSandbox;
let marketplace: INestApplication;

// One application for all, as a marketplace runs on: each test adds merchants of its own.
beforeAll(async () => {
  sandbox = await PaymentsSandbox.start({ clock: 'manual', seed: 1 });
  Object.assign(process.env, {
    DATABASE_URL: '',
    PAYMENTS_BASE_URL: sandbox.baseUrl,
    ADMIN_KEY: KEY_OF_THE_OFFICE,
    KEY_OF_KEYS: Buffer.alloc(32, 7).toString('base64'),
  });
  await open();
});
afterAll(async () => {
  await marketplace.close();
  await sandbox.stop();
});

async function open(): Promise<void> {
  marketplace = await createMarketplace({ logger: false, abortOnError: false });
  await marketplace.listen(0, '127.0.0.1');
}

interface Answer<Body> {
  readonly status: number;
  readonly body: Body;
}

async function send<Body>(
  method: string,
  path: string,
  body?: object,
  admin = KEY_OF_THE_OFFICE,
): Promise<Answer<Body>> {
  const answer = await fetch(`${await marketplace.getUrl()}${path}`, {
    method,
    // A kept connection may end at the moment when it is used again, after a recovery of five seconds.
    headers: { 'content-type': 'application/json', authorization: `Bearer ${admin}`, connection: 'close' },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  return { status: answer.status, body: (text && JSON.parse(text)) as Body };
}

/** Adds a merchant to the running marketplace, and gives its webhook address to the gateway. */
async function add(id: string): Promise<void> {
  const keys = { apiKey: `pk_test_${id}`, apiSecret: `sk_test_${id}`, webhookSecret: secretOf(id) };
  const { status, body } = await send<{ webhookPath: string }>('POST', '/merchants', {
    id,
    name: id,
    ...keys,
  });
  expect(status).toBe(201);
  const price = { price: '12000.00' };
  expect((await send('PUT', `/merchants/${id}/products/bag`, price)).status).toBe(204);
  const url = `${await marketplace.getUrl()}${body.webhookPath}`;
  const endpoint = await fetch(new URL('/_sandbox/v1/webhooks/endpoints', sandbox.baseUrl), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ url, merchant: id, secret: secretOf(id) }),
  });
  expect(endpoint.status).toBe(201);
}

const order = (merchant: string, change: object = {}): Promise<Answer<Order>> =>
  send('POST', `/shops/${merchant}/orders`, {
    checkout: randomUUID(),
    product: 'bag',
    ...CUSTOMER,
    ...change,
  });
const find = async ({ merchant, reference }: Order): Promise<Order> =>
  (await send<Order>('GET', `/shops/${merchant}/orders/${reference}`)).body;
const approve = ({ merchant, reference }: Order): Promise<unknown> =>
  sandbox.merchant(merchant).customer(PHONE).approve(reference);

/** Delivers an outcome of an order that the gateway signed. */
const report = (
  { merchant, reference }: Order,
  event: PaymentEventName,
  amount = '12000.00',
  charge = reference,
): Promise<number> =>
  deliver(
    JSON.stringify(paymentEvent(event, { reference, amount, provider_reference: charge })),
    merchant,
    secretOf(merchant),
  );
/** A person releases all that the package has set aside. Returns how many that were. */
async function releaseAll({ merchant }: Order): Promise<number> {
  const { inbox } = marketplace.get(PaymentsAccounts).for(merchant);
  const setAside = await inbox.conflicts();
  for (const { id } of setAside) await inbox.release(id);
  return setAside.length;
}

/** Delivers a webhook of the gateway once more, to another address or with another secret. */
async function deliver(body: string, to: string, secret: string): Promise<number> {
  const signature = createHmac('sha256', secret).update(body).digest('hex');
  const headers = { 'content-type': 'application/json', 'x-webhook-signature': signature };
  const url = `${await marketplace.getUrl()}/webhooks/payments/${to}`;
  return (await fetch(url, { method: 'POST', headers, body })).status;
}

it('merchants that are added while it runs are paid on their own accounts', async () => {
  expect((await order('honey')).status).toBe(404);
  for (const merchant of ['honey', 'salt']) await add(merchant);
  for (const merchant of ['honey', 'salt']) {
    const { status, body } = await order(merchant);
    expect({ status, body }).toMatchObject({ status: 201, body: { merchant, status: 'waiting' } });
    await approve(body);
    expect(await find(body)).toMatchObject({ amount: '12000.00', status: 'paid' });
    expect(sandbox.merchant(merchant).payments()).toMatchObject([{ reference: body.reference }]);
  }
});

it('a webhook that was signed for one merchant changes nothing of another, whatever its address', async () => {
  for (const merchant of ['tea', 'rice']) await add(merchant);
  const { body: tea } = await order('tea');
  await approve(tea);
  const { body: event } = sandbox.deliveries().at(-1)!;
  const { body: rice } = await order('rice');
  const forged = event.replaceAll(tea.reference, rice.reference);
  expect(await deliver(forged, 'rice', secretOf('tea'))).toBe(401);
  expect(await deliver(forged, 'nobody', secretOf('tea'))).toBe(401);
  expect(await deliver(forged, '%2e%2e%2frice', secretOf('rice'))).toBe(401);
  // Signed by its own merchant, for the order of another one: no order is found.
  await deliver(forged, 'tea', secretOf('tea'));
  expect(await find(rice)).toMatchObject({ status: 'waiting' });
  expect(await deliver(event, 'tea', secretOf('tea'))).toBe(200);
  expect(await find(tea)).toMatchObject({ status: 'paid' });
});

it('keys are rotated under 50 orders at once: none fails, and nobody is asked twice', async () => {
  await add('maize');
  const { body: before } = await order('maize');
  const first = Array.from({ length: 25 }, () => order('maize'));
  // Another replica wrote the new keys, so this one still has the old ones in memory.
  const keys = { ...sandbox.merchant('maize').rotateKeys(), webhookSecret: 'the-next-secret-of-maize' };
  await marketplace.get(MerchantsTable, { strict: false }).rotate('maize', keys);
  sandbox.merchant('maize').revokeOldKeys();
  const orders = await Promise.all([...first, ...Array.from({ length: 25 }, () => order('maize'))]);
  expect(orders.map(({ status }) => status)).toEqual(Array.from({ length: 50 }, () => 201));
  expect(sandbox.requests().some(({ status }) => status === 401)).toBe(true);
  const placed = [before, ...orders.map(({ body }) => body)].map(({ reference }) => reference);
  const asked = sandbox
    .merchant('maize')
    .payments()
    .map(({ reference }) => reference);
  expect(asked.sort()).toEqual(placed.sort());
  // The gateway still signs with the old secret, which counts for a day more.
  await approve(before);
  expect(await find(before)).toMatchObject({ status: 'paid' });
});

it.each(['success', 'failed'] as const)(
  'an order that is sent again is one payment, also after its end as %s',
  async (outcome) => {
    const merchant = `again-${outcome}`;
    await add(merchant);
    const checkout = randomUUID();
    sandbox.next(ASK).status(401);
    expect((await order(merchant, { checkout })).status).toBe(502);
    sandbox.next(ASK).dropAfterProcessing();
    const answers = await Promise.all([order(merchant, { checkout }), order(merchant, { checkout })]);
    answers.push(await order(merchant, { checkout }));
    const reference = `order-${checkout}`;
    for (const { body } of answers) expect(body).toMatchObject({ reference, status: 'waiting' });
    const customer = sandbox.merchant(merchant).customer(PHONE);
    await (outcome === 'success' ? customer.approve(reference) : customer.decline(reference));
    const status = outcome === 'success' ? 'paid' : 'not-paid';
    expect((await order(merchant, { checkout })).body).toMatchObject({ reference, status });
    expect(sandbox.merchant(merchant).payments()).toMatchObject([{ reference }]);
  },
);

it.each([
  { product: 'box' },
  { phone: '0754 000 111' },
  { name: 'N. Mushi' },
  { email: 'neema@example.com' },
])('an order that is sent again with %o is refused, and stays as it was', async (change) => {
  const merchant = `changed-${Object.keys(change)[0]}`;
  await add(merchant);
  await send('PUT', `/merchants/${merchant}/products/box`, { price: '9000.00' });
  const checkout = randomUUID();
  const { body } = await order(merchant, { checkout });
  expect((await order(merchant, { checkout, ...change })).status).toBe(409);
  expect((await order(merchant, { checkout, phone: PHONE })).body).toEqual(body);
  expect(Object.keys(body)).toEqual(['merchant', 'reference', 'product', 'amount', 'status']);
  expect(sandbox.merchant(merchant).payments()).toHaveLength(1);
});

it('every secret of the last day counts, also if the office writes one twice, or two at once', async () => {
  await add('sorghum');
  const { body } = await order('sorghum');
  await approve(body);
  const { body: event } = sandbox.deliveries().at(-1)!;
  const rotate = (webhookSecret: string): Promise<Answer<undefined>> =>
    send('PUT', '/merchants/sorghum/keys', {
      apiKey: 'pk_test_sorghum',
      apiSecret: 'sk_test_sorghum',
      webhookSecret,
    });
  for (const secret of ['the-second-secret', 'the-second-secret', 'the-third-secret-1']) await rotate(secret);
  await Promise.all([rotate('the-fourth-secret'), rotate('the-fifth-secret-1')]);
  const secrets = [
    secretOf('sorghum'),
    'the-second-secret',
    'the-third-secret-1',
    'the-fourth-secret',
    'the-fifth-secret-1',
  ];
  for (const secret of secrets) expect(await deliver(event, 'sorghum', secret)).toBe(200);
  const inADay = Date.now() + 24 * 3_600_000;
  vi.useFakeTimers({ toFake: ['Date'], now: inADay });
  await rotate('the-sixth-secret-1');
  vi.useRealTimers();
  expect(await deliver(event, 'sorghum', secretOf('sorghum'))).toBe(401);
});

it.each([
  ['ADMIN_KEY', 'ADMIN_KEY must have 32 characters: openssl rand -hex 32'],
  ['KEY_OF_KEYS', 'KEY_OF_KEYS must be 32 bytes in base64: openssl rand -base64 32'],
])('the marketplace does not start without %s', async (variable, problem) => {
  const value = process.env[variable];
  process.env[variable] = '';
  await expect(createMarketplace({ logger: false, abortOnError: false })).rejects.toThrow(problem);
  process.env[variable] = value;
});

it('new keys that the office writes count at once', async () => {
  await add('millet');
  await order('millet');
  const keys = { ...sandbox.merchant('millet').rotateKeys(), webhookSecret: secretOf('millet') };
  expect((await send('PUT', '/merchants/millet/keys', keys)).status).toBe(204);
  sandbox.merchant('millet').revokeOldKeys();
  const { status, body } = await order('millet');
  expect(status).toBe(201);
  const tries = sandbox
    .requests()
    .filter(({ body: sent }) => (sent as Partial<Order> | undefined)?.reference === body.reference);
  expect(tries.map(({ status }) => status)).toEqual([200]);
});

it('a merchant that is disabled sells nothing more, and is still paid for what it has sold', async () => {
  await add('beans');
  const { body } = await order('beans');
  await send('PUT', '/merchants/beans/disabled');
  expect((await order('beans')).status).toBe(409);
  await approve(body);
  expect(await find(body)).toMatchObject({ status: 'paid' });
  await send('PUT', '/merchants/beans/enabled');
  expect((await order('beans')).status).toBe(201);
});

it('the office needs its key, and neither it nor the table shows the keys of a merchant', async () => {
  await add('coffee');
  expect((await send('GET', '/merchants', undefined, 'guessed')).status).toBe(401);
  const { body } = await send('GET', '/merchants');
  expect(body).toContainEqual({ id: 'coffee', name: 'coffee', disabled: false });
  const { rows } = await marketplace.get(Pool).query('SELECT * FROM merchants');
  expect(JSON.stringify(rows)).not.toMatch(/sk_test|webhook-secret/);
  expect((await send('PUT', '/merchants/nobody/disabled')).status).toBe(404);
  const twice = {
    id: 'coffee',
    name: 'Coffee',
    apiKey: 'pk_test_x',
    apiSecret: 'sk_test_x',
    webhookSecret: secretOf('x'),
  };
  expect((await send('POST', '/merchants', twice)).status).toBe(409);
});

it('the price of an order is that of the merchant, and not one that the browser sends', async () => {
  await add('cloves');
  expect((await order('cloves', { amount: '1.00' })).status).toBe(400);
  expect((await order('cloves', { product: 'gold' })).status).toBe(400);
  expect((await send('GET', '/shops/cloves/products')).body).toEqual([{ id: 'bag', price: '12000.00' }]);
  const { body: before } = await order('cloves');
  const dearer = { price: '15000.00' };
  expect((await send('PUT', '/merchants/cloves/products/bag', dearer)).status).toBe(204);
  expect((await order('cloves')).body).toMatchObject({ product: 'bag', amount: '15000.00' });
  await approve(before);
  expect(await find(before)).toMatchObject({ amount: '12000.00', status: 'paid' });
});

it('only the office writes prices, and only of merchants that exist', async () => {
  await add('ginger');
  const cheap = { price: '1.00' };
  expect((await send('PUT', '/merchants/ginger/products/bag', cheap, 'guessed')).status).toBe(401);
  expect((await send('PUT', '/merchants/nobody/products/bag', cheap)).status).toBe(404);
  expect((await send('PUT', '/merchants/ginger/products/bag', { price: '1' })).status).toBe(400);
  expect((await order('ginger')).body).toMatchObject({ amount: '12000.00' });
});

/** The order of an answer without one: the error names its reference. */
const refused = async (merchant: string, status: number, code?: string): Promise<Order> => {
  sandbox.next(ASK).status(status, { retryAfter: 60, ...(code !== undefined && { code }) });
  const { body } = await order(merchant);
  return find({ ...body, merchant });
};

it('an order is called not paid after a refusal that proves it, and after no other error', async () => {
  await add('pepper');
  expect(await refused('pepper', 422, 'INVALID_PHONE')).toMatchObject({ status: 'not-paid' });
  expect(await refused('pepper', 422)).toMatchObject({ status: 'waiting' });
  expect(await refused('pepper', 429)).toMatchObject({ status: 'waiting' });
});

it.each([
  ['payment.failed', '12000.00'],
  ['payment.success', '11000.00'],
] as const)('an order that is paid stays so if a person releases %s of %s', async (event, amount) => {
  const merchant = `paid-then-${event.split('.')[1]}`;
  await add(merchant);
  const { body } = await order(merchant);
  await report(body, 'payment.success');
  expect(await report(body, event, amount, 'another-charge')).toBe(200);
  expect(await releaseAll(body)).toBe(1);
  expect(await find(body)).toMatchObject({ status: 'paid' });
});

it('an order of which another amount was paid goes to a person, and its own amount still pays it', async () => {
  await add('nutmeg');
  const { body } = await order('nutmeg');
  for (const [event, amount, status] of [
    ['payment.success', '11000.00', 'review'],
    ['payment.failed', '12000.00', 'review'],
    ['payment.success', '12000.00', 'review'],
  ] as const) {
    expect(await report(body, event, amount)).toBe(200);
    expect(await find(body)).toMatchObject({ status });
  }
  // The success of its own amount contradicts the failure, so a person releases it, too.
  expect(await releaseAll(body)).toBe(2);
  expect(await find(body)).toMatchObject({ status: 'paid' });
});

it('an order that is paid after a failure goes to a person', async () => {
  await add('cumin');
  const { body } = await order('cumin');
  await report(body, 'payment.failed');
  await report(body, 'payment.cancelled');
  expect(await find(body)).toMatchObject({ status: 'not-paid' });
  expect(await report(body, 'payment.success')).toBe(200);
  expect(await find(body)).toMatchObject({ status: 'review' });
});

it('an order that is paid without a webhook stays so if a webhook says later that it failed', async () => {
  await add('sugar');
  const { body } = await order('sugar');
  await marketplace
    .get(PaymentsAccounts)
    .for('sugar')
    .journal.settle('collection', body.reference, 'success');
  await marketplace.get(RecoveryService).lookAfterPayments();
  expect(await report(body, 'payment.failed')).toBe(200);
  expect(await find(body)).toMatchObject({ status: 'paid' });
});

it.each([
  ['success', 'paid'],
  ['failed', 'not-paid'],
] as const)('an order whose payment ends without a webhook as %s is %s', async (outcome, status) => {
  const merchant = `no-webhook-${outcome}`;
  await add(merchant);
  sandbox.next(ASK).dropAfterProcessing();
  const { body } = await order(merchant);
  const recovery = marketplace.get(RecoveryService);
  await recovery.lookAfterPayments();
  expect(await find(body)).toMatchObject({ status: 'waiting' });
  const { journal } = marketplace.get(PaymentsAccounts).for(merchant);
  await journal.settle('collection', body.reference, outcome);
  await recovery.lookAfterPayments();
  expect(await find(body)).toMatchObject({ status });
});

it('an order without a name is not written down, so the page may send it again with one', async () => {
  await add('sisal');
  const checkout = randomUUID();
  expect((await order('sisal', { checkout, name: ' ' })).status).toBe(400);
  expect((await order('sisal', { checkout })).body).toMatchObject({ status: 'waiting' });
});

/** An order whose process died before it asked for the money, some minutes ago. */
async function abandoned(merchant: string, minutes: number): Promise<{ checkout: string; placed: Order }> {
  const checkout = randomUUID();
  await marketplace.get(Pool).query(
    `INSERT INTO orders (merchant, reference, product, amount, status, asked_at)
     VALUES ($1, $2, 'bag', 12000, 'waiting', now() - $3 * interval '1 minute')`,
    [merchant, `order-${checkout}`, minutes],
  );
  return { checkout, placed: await find({ merchant, reference: `order-${checkout}` } as Order) };
}

it.each([
  [4, 'waiting', 1],
  [6, 'not-paid', 0],
])('an order of which nothing was sent for %i minutes is %s', async (minutes, status, asked) => {
  const merchant = `abandoned-${status}`;
  await add(merchant);
  const { checkout, placed } = await abandoned(merchant, minutes);
  await marketplace.get(RecoveryService).lookAfterPayments();
  expect(await find(placed)).toMatchObject({ status });
  // Nobody is asked to pay an order that has ended.
  expect((await order(merchant, { checkout })).body).toMatchObject({ status });
  expect(sandbox.merchant(merchant).payments()).toHaveLength(asked);
});

it('an order whose payment the journal knows waits, however long ago the gateway turned it away', async () => {
  await add('cassava');
  const { checkout, placed } = await abandoned('cassava', 6);
  sandbox.next(ASK).status(401);
  await order('cassava', { checkout });
  await marketplace
    .get(Pool)
    .query(`UPDATE orders SET asked_at = asked_at - interval '1 hour' WHERE merchant = 'cassava'`);
  await marketplace.get(RecoveryService).lookAfterPayments();
  expect(await find(placed)).toMatchObject({ status: 'waiting' });
});

it('an order that the page sends again while the recovery looks at it waits', async () => {
  await add('sunflower');
  const { checkout, placed } = await abandoned('sunflower', 6);
  // The recovery has asked the journal, which did not know the payment yet.
  await order('sunflower', { checkout });
  await marketplace.get(OrdersService).nothingSent(placed);
  expect(await find(placed)).toMatchObject({ status: 'waiting' });
});

it('a merchant whose keys cannot be read delays the orders of no other one', async () => {
  for (const merchant of ['a-broken-one', 'millet-2']) await add(merchant);
  sandbox.next(ASK).dropAfterProcessing();
  const { body: broken } = await order('a-broken-one');
  sandbox.next(ASK).dropAfterProcessing();
  const { body } = await order('millet-2');
  await marketplace
    .get(PaymentsAccounts)
    .for('millet-2')
    .journal.settle('collection', body.reference, 'success');
  const pool = marketplace.get(Pool);
  await pool.query(`UPDATE merchants SET keys = 'broken' WHERE id = 'a-broken-one'`);
  marketplace.get(PaymentsAccounts).forget('a-broken-one');
  await marketplace.get(RecoveryService).lookAfterPayments();
  expect([(await find(broken)).status, (await find(body)).status]).toEqual(['waiting', 'paid']);
});

it('the shutdown ends a run of the recovery, which asks about no further order', async () => {
  await add('sesame');
  await order('sesame');
  const [accounts, recovery] = [marketplace.get(PaymentsAccounts), marketplace.get(RecoveryService)];
  const ask = vi.spyOn(accounts, 'for');
  await closeInRecovery({
    app: marketplace,
    journal: accounts.all.journal,
    provider: accounts,
    begin: () => {
      // The run at the boot may have asked.
      ask.mockClear();
      recovery.onApplicationBootstrap();
    },
  });
  expect(ask).not.toHaveBeenCalled();
  await open();
});
