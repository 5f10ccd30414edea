import { createHmac, randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { PaymentsInbox, PaymentsJournal } from 'nestjs-payments';
import { PaymentsSandbox } from 'nestjs-payments/sandbox';
import { ShopClient } from './shop.client.js';
import { RecoveryService } from '../src/orders/recovery.service.js';
import { OFFICE_PASSWORD, type StartedShop, startShop } from './start-shop.js';

const PHONE = '255712345678';
const ASK = 'POST /payments/mobile-money';

let sandbox: PaymentsSandbox;
let app: StartedShop;
let shop: ShopClient;

beforeEach(async () => {
  sandbox = await PaymentsSandbox.start({ clock: 'manual', seed: 1 });
  app = await startShop(sandbox);
  shop = new ShopClient(app.url);
});

afterEach(async () => {
  vi.useRealTimers();
  await app.stop();
  await sandbox.stop();
});

async function statusOf(reference: string): Promise<string | undefined> {
  return (await shop.get(`/orders/${reference}`)).body['status'];
}

async function bought(change: Record<string, string> = {}): Promise<string> {
  return (await shop.buy(change)).body['reference']!;
}

/** A signed webhook without a payment of the emulator. */
async function deliver(event: string, reference: string, amount = '18000.00'): Promise<number> {
  const data = { reference, amount, currency: 'TZS', status: event.replace('payment.', '') };
  const body = { event, data };
  const signature = createHmac('sha256', sandbox.webhookSecret).update(JSON.stringify(body)).digest('hex');
  return (await shop.post('/webhooks/payments', body, { 'x-webhook-signature': signature })).status;
}

describe('the checkout', () => {
  it.each(['mobile-money', 'partner-wallet'])(
    'turns an order by %s paid, on the open page too',
    async (method) => {
      const { status, body } = await shop.buy({ method });
      expect({ status, body }).toMatchObject({ status: 201, body: { status: 'awaiting-customer' } });
      const page = shop.follow(body['reference']!);
      expect((await page.next()).value).toMatchObject({ status: 'awaiting-customer' });
      await sandbox.customer(PHONE).approve(body['reference']!);
      expect((await page.next()).value).toMatchObject({ status: 'paid', receipt: 'R-0001' });
      expect((await page.next()).done).toBe(true);
      expect(await statusOf(body['reference']!)).toBe('paid');
    },
  );

  it('writes one receipt however often the webhook comes', async () => {
    const reference = await bought();
    await sandbox.customer(PHONE).approve(reference);
    const { body } = sandbox.deliveries()[0]!;
    const signature = createHmac('sha256', sandbox.webhookSecret).update(body).digest('hex');
    const again = await shop.post('/webhooks/payments', JSON.parse(body) as object, {
      'x-webhook-signature': signature,
    });
    expect(again.status).toBe(200);
    const next = await bought();
    await sandbox.customer(PHONE).approve(next);
    expect((await shop.get(`/orders/${next}`)).body['receipt']).toBe('R-0002');
  });

  it.each([
    { what: 'decline', reason: 'failed' },
    { what: 'cancel', reason: 'cancelled' },
    { what: 'expire', reason: 'expired' },
  ] as const)('says why an order is not paid after $what', async ({ what, reason }) => {
    const reference = await bought();
    await sandbox.customer(PHONE)[what](reference);
    expect((await shop.get(`/orders/${reference}`)).body).toMatchObject({ status: 'not-paid', reason });
  });

  it('keeps an order open when the answer is lost, and believes the webhook', async () => {
    sandbox.next(ASK).dropAfterProcessing();
    const { status, body } = await shop.buy();
    expect({ status, body }).toMatchObject({ status: 201, body: { status: 'awaiting-outcome' } });
    await sandbox.customer(PHONE).approve(body['reference']!);
    expect(await statusOf(body['reference']!)).toBe('paid');
  });

  it('closes an order that the gateway refuses for good, and says so', async () => {
    sandbox.next(ASK).status(422, { code: 'INVALID_PHONE' });
    const { status, body } = await shop.buy();
    expect({ status, unsure: body['mayHaveBeenProcessed'] }).toEqual({ status: 422, unsure: false });
    expect((await shop.get(`/orders/${body['reference']}`)).body).toMatchObject({
      status: 'not-paid',
      reason: 'INVALID_PHONE',
    });
  });

  it.each([
    { what: 'a refusal that proves nothing', answer: 422 },
    { what: 'wrong keys', answer: 401 },
    { what: 'too many requests', answer: 429 },
  ])('keeps an order open after $what, and believes the webhook', async ({ answer }) => {
    sandbox.next(ASK).status(answer, { retryAfter: 60 });
    const { status, body } = await shop.buy();
    const reference = body['reference']!;
    expect(status).toBeGreaterThanOrEqual(400);
    expect(await statusOf(reference)).toBe('awaiting-outcome');
    expect(await deliver('payment.success', reference)).toBe(200);
    expect(await statusOf(reference)).toBe('paid');
  });

  it.each([
    { outcome: 'success', end: { status: 'paid', receipt: 'R-0001' } },
    { outcome: 'expired', end: { status: 'not-paid', reason: 'expired' } },
  ] as const)('learns from the journal that a payment ended in $outcome', async ({ outcome, end }) => {
    sandbox.next(ASK).dropAfterProcessing();
    const { body } = await shop.buy();
    const reference = body['reference']!;
    const recovery = app.app.get(RecoveryService);
    await recovery.lookAfterPayments();
    expect(await statusOf(reference)).toBe('awaiting-outcome');
    await app.app.get(PaymentsJournal).settle('collection', reference, outcome);
    await recovery.lookAfterPayments();
    expect((await shop.get(`/orders/${reference}`)).body).toMatchObject(end);
  });

  it('leaves an order open when another amount is paid, until a person releases the webhook', async () => {
    const reference = await bought();
    expect(await deliver('payment.success', reference, '1.00')).toBe(200);
    expect(await statusOf(reference)).toBe('awaiting-customer');
    const inbox = app.app.get(PaymentsInbox);
    const [mismatch] = await inbox.conflicts();
    expect(mismatch).toMatchObject({ kind: 'mismatch', reference });
    await inbox.release(mismatch!.id);
    expect(await statusOf(reference)).toBe('in-review');
  });

  it('ends an order that nobody was asked for, if nobody presses Pay again for a while', async () => {
    const recovery = app.app.get(RecoveryService);
    await sandbox.stop();
    const checkout = randomUUID();
    const { reference } = (await shop.buy({ checkout })).body;
    vi.useFakeTimers({ toFake: ['Date'] });
    const wait = async (ms: number) => {
      vi.setSystemTime(Date.now() + ms);
      await recovery.lookAfterPayments();
      return statusOf(reference!);
    };
    expect(await wait(280_000)).toBe('awaiting-outcome');
    await shop.buy({ checkout });
    expect(await wait(280_000)).toBe('awaiting-outcome');
    expect(await wait(30_000)).toBe('not-paid');
    expect((await shop.buy({ checkout })).body).toMatchObject({ reference, status: 'not-paid' });
  });

  it('never ends an order by itself that the journal knows', async () => {
    sandbox.next(ASK).status(422);
    const { reference } = (await shop.buy()).body;
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 600_000 });
    await app.app.get(RecoveryService).lookAfterPayments();
    expect(await statusOf(reference!)).toBe('awaiting-outcome');
  });

  it('looks after the other orders if one cannot be looked after', async () => {
    const references = [await bought(), await bought()];
    const journal = app.app.get(PaymentsJournal);
    for (const reference of references) await journal.settle('collection', reference, 'success');
    vi.spyOn(journal, 'get').mockRejectedValueOnce(new Error('This entry cannot be read.'));
    await app.app.get(RecoveryService).lookAfterPayments();
    expect(await Promise.all(references.map(statusOf))).toEqual(['awaiting-customer', 'paid']);
  });

  it('makes one order and one request of a form that is sent again', async () => {
    const checkout = randomUUID();
    const answers = await Promise.all([shop.buy({ checkout }), shop.buy({ checkout })]);
    const { reference, ...order } = (await shop.buy({ checkout })).body;
    expect(new Set(answers.map(({ body }) => body['reference']))).toEqual(new Set([reference]));
    expect(order).toMatchObject({ status: 'awaiting-customer' });
    await sandbox.customer(PHONE).approve(reference!);
    expect((await shop.buy({ checkout })).body).toMatchObject({ reference, receipt: 'R-0001' });
    expect(sandbox.requests()).toHaveLength(1);
  });

  it('asks nobody twice if a form is sent again whose answer was lost', async () => {
    const checkout = randomUUID();
    sandbox.next(ASK).dropAfterProcessing();
    const first = await shop.buy({ checkout });
    expect(await shop.buy({ checkout })).toEqual(first);
    expect(sandbox.payments()).toHaveLength(1);
  });

  it.each([401, 422])('makes the same call again if a form is sent again after %i', async (answer) => {
    const checkout = randomUUID();
    sandbox.next(ASK).status(answer);
    const { reference } = (await shop.buy({ checkout })).body;
    expect((await shop.buy({ checkout })).body).toMatchObject({ reference, status: 'awaiting-customer' });
    expect(sandbox.payments()).toMatchObject([{ reference }]);
  });

  it.each([
    { phone: '255754000111' },
    { method: 'partner-wallet' },
    { product: 'honey' },
    { name: 'Neema Mushi' },
    { email: 'neema@example.com' },
  ])('refuses a form that is sent again with %o, because it asks for nothing new', async (change) => {
    const checkout = randomUUID();
    const { reference } = (await shop.buy({ checkout })).body;
    const { status, body } = await shop.buy({ checkout, ...change });
    expect([status, body['message']]).toEqual([409, expect.stringContaining('with other details')]);
    expect(sandbox.payments()).toMatchObject([{ reference, customer_phone: PHONE }]);
    expect(await statusOf(reference!)).toBe('awaiting-customer');
  });

  it('takes a form that is sent again with the same phone in another spelling for the same order', async () => {
    const checkout = randomUUID();
    const first = await shop.buy({ checkout });
    expect(await shop.buy({ checkout, phone: '0712 345 678' })).toEqual(first);
  });

  it('shows nobody the phone, the name and the e-mail address of an order', async () => {
    const { body } = await shop.get(`/orders/${await bought()}`);
    expect(Object.keys(body)).toEqual(['reference', 'product', 'amount', 'amountText', 'method', 'status']);
  });

  it('sends nothing for an order that is not filled in well', async () => {
    const { status, body } = await shop.buy({ phone: '712 345 678', product: 'gold' });
    expect(status).toBe(400);
    expect(body['message']).toEqual([
      'choose one of the products',
      'write a Tanzanian mobile number such as 0712 345 678',
    ]);
    expect(body['fields']).toEqual(['product', 'phone']);
    expect(sandbox.requests()).toEqual([]);
  });

  it('refuses a name that the gateway would refuse', async () => {
    for (const name of ['', ' ', 'As\0ha'])
      expect((await shop.buy({ name })).body).toMatchObject({ fields: ['name'] });
  });

  it.each(['0712 345 678', '+255 712-345-678'])('reads a phone number written as %s', async (phone) => {
    expect((await shop.buy({ phone })).status).toBe(201);
    expect(sandbox.payments()).toMatchObject([{ customer_phone: PHONE }]);
  });

  it('believes no webhook without a signature', async () => {
    const reference = await bought();
    const data = { reference, amount: '18000.00', currency: 'TZS', status: 'success' };
    const { status } = await shop.post('/webhooks/payments', { event: 'payment.success', data });
    expect(status).toBe(401);
    expect(await statusOf(reference)).toBe('awaiting-customer');
  });
});

describe('the back office', () => {
  const supplier = { bank_code: '', account_number: '0150234567801', amount: '25000' };

  let office: ShopClient;

  beforeEach(async () => {
    office = shop.office(OFFICE_PASSWORD);
    const [bank] = (await office.get('/office/banks')).body as unknown as readonly { code: string }[];
    supplier.bank_code = bank!.code;
  });

  async function prepared(): Promise<string> {
    return (await office.post('/office/payouts', supplier)).body['reference']!;
  }

  it('shows whose account it is before anything is sent', async () => {
    const { status, body } = await office.post('/office/payouts', supplier);
    expect({ status, body }).toMatchObject({ status: 201, body: { status: 'prepared' } });
    expect(body['account_name']).not.toBe('');
    expect(sandbox.payouts()).toEqual([]);
  });

  it('sends once what is confirmed twice', async () => {
    const reference = await prepared();
    const confirm = () => office.post(`/office/payouts/${reference}/confirm`, {});
    await Promise.all([confirm(), confirm()]);
    expect((await confirm()).body).toMatchObject({ status: 'accepted' });
    expect(sandbox.payouts()).toEqual([expect.objectContaining({ reference, amount: '25000.00' })]);
    await sandbox.payout(reference).pay();
    expect((await office.get('/office/balance')).body).toMatchObject({ balance: '974500.00' });
  });

  it('never sends again when the answer is lost', async () => {
    const reference = await prepared();
    sandbox.next('POST /disbursements/bank').dropAfterProcessing();
    for (let press = 0; press < 2; press += 1) {
      const { body } = await office.post(`/office/payouts/${reference}/confirm`, {});
      expect(body).toMatchObject({ status: 'awaiting-outcome' });
    }
    const sent = sandbox.requests().filter(({ path }) => path.endsWith('/disbursements/bank'));
    expect(sent).toHaveLength(1);
  });

  it('says that the wallet holds too little', async () => {
    const { body } = await office.post('/office/payouts', { ...supplier, amount: '2000000' });
    const { status } = await office.post(`/office/payouts/${body['reference']}/confirm`, {});
    expect(status).toBe(402);
  });

  it.each([
    { what: 'a refusal that leaves the money out of doubt', code: 'INSUFFICIENT_BALANCE', end: 'refused' },
    { what: 'an answer that proves nothing', code: 'UNKNOWN_TO_EVERYBODY', end: 'awaiting-outcome' },
  ])('says $end after $what, and sends nothing more for it', async ({ code, end }) => {
    const reference = await prepared();
    sandbox.next('POST /disbursements/bank').status(422, { code });
    const confirm = () => office.post(`/office/payouts/${reference}/confirm`, {});
    await confirm();
    expect((await confirm()).body).toMatchObject({ status: end });
    expect(sandbox.payouts()).toEqual([]);
  });

  it('sends a payout that was turned away, under its reference, when it is confirmed again', async () => {
    const reference = await prepared();
    sandbox.next('POST /disbursements/bank').status(401);
    const confirm = () => office.post(`/office/payouts/${reference}/confirm`, {});
    expect((await confirm()).status).toBe(502);
    expect((await confirm()).body).toMatchObject({ status: 'accepted' });
    expect(sandbox.payouts()).toMatchObject([{ reference }]);
  });

  it('is open to nobody without the password, nor to the page of another site', async () => {
    const guessed = shop.office('12345');
    const requests = ['/office/payouts', '/office/payouts/supplier-1/confirm'].flatMap((path) => [
      shop.post(path, supplier),
      guessed.post(path, supplier),
      office.post(path, supplier, { 'sec-fetch-site': 'cross-site' }),
    ]);
    const reads = ['/office/balance', '/office/banks'].map((path) => shop.get(path));
    const answers = await Promise.all([...requests, ...reads]);
    expect(answers.map(({ status }) => status)).toEqual([401, 401, 403, 401, 401, 403, 401, 401]);
    expect(sandbox.payouts()).toEqual([]);
  });

  it('is closed to everyone while the shop has no password', async () => {
    await app.stop();
    app = await startShop(sandbox, { OFFICE_PASSWORD: '' });
    const closed = new ShopClient(app.url);
    for (const caller of [closed, closed.office('')]) {
      expect((await caller.get('/office/balance')).status).toBe(403);
    }
  });
});

describe('a shop that stops', () => {
  it('answers its running request, and ends the stream of an open page', async () => {
    const page = shop.follow(await bought());
    expect((await page.next()).value).toMatchObject({ status: 'awaiting-customer' });
    sandbox.next(ASK).delay('5s');
    const arrived = new Promise<void>((resolve) => {
      sandbox.on('payment', () => {
        resolve();
      });
    });
    const answer = shop.buy();
    await arrived;
    const closed = app.app.close();
    await sandbox.clock.advance('5s');
    expect((await answer).body).toMatchObject({ status: 'awaiting-customer' });
    expect((await page.next()).done).toBe(true);
    await closed;
  });
});

describe('the page', () => {
  it('comes with a strict content security policy', async () => {
    const page = await fetch(`${shop.url}/`);
    expect(page.headers.get('content-security-policy')).toBe("default-src 'self'");
    expect(await page.text()).toContain('Duka la Milima');
  });
});
