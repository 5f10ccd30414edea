import { createHmac } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { PaymentsSandbox } from 'nestjs-payments/sandbox';
import { ShopClient } from './shop.client.js';
import { type StartedShop, startShop } from './start-shop.js';

const PHONE = '255712345678';

let sandbox: PaymentsSandbox;
let app: StartedShop;
let shop: ShopClient;

beforeEach(async () => {
  sandbox = await PaymentsSandbox.start({ clock: 'manual', seed: 1 });
  app = await startShop(sandbox);
  shop = new ShopClient(app.url);
});

afterEach(async () => {
  await app.stop();
  await sandbox.stop();
});

async function statusOf(reference: string): Promise<string | undefined> {
  return (await shop.get(`/orders/${reference}`)).body['status'];
}

async function bought(change: Record<string, string> = {}): Promise<string> {
  return (await shop.buy(change)).body['reference']!;
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
    sandbox.next('POST /payments/mobile-money').dropAfterProcessing();
    const { status, body } = await shop.buy();
    expect({ status, body }).toMatchObject({ status: 201, body: { status: 'awaiting-outcome' } });
    await sandbox.customer(PHONE).approve(body['reference']!);
    expect(await statusOf(body['reference']!)).toBe('paid');
  });

  it('closes an order that the gateway refuses, and says so', async () => {
    sandbox.next('POST /payments/mobile-money').status(422);
    const { status, body } = await shop.buy();
    expect({ status, unsure: body['mayHaveBeenProcessed'] }).toEqual({ status: 422, unsure: false });
    expect(await statusOf(body['reference']!)).toBe('not-paid');
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

  beforeEach(async () => {
    const [bank] = (await shop.get('/office/banks')).body as unknown as readonly { code: string }[];
    supplier.bank_code = bank!.code;
  });

  async function prepared(): Promise<string> {
    return (await shop.post('/office/payouts', supplier)).body['reference']!;
  }

  it('shows whose account it is before anything is sent', async () => {
    const { status, body } = await shop.post('/office/payouts', supplier);
    expect({ status, body }).toMatchObject({ status: 201, body: { status: 'prepared' } });
    expect(body['account_name']).not.toBe('');
    expect(sandbox.payouts()).toEqual([]);
  });

  it('sends once what is confirmed twice', async () => {
    const reference = await prepared();
    const confirm = () => shop.post(`/office/payouts/${reference}/confirm`, {});
    await Promise.all([confirm(), confirm()]);
    expect((await confirm()).body).toMatchObject({ status: 'accepted' });
    expect(sandbox.payouts()).toEqual([expect.objectContaining({ reference, amount: '25000.00' })]);
    await sandbox.payout(reference).pay();
    expect((await shop.get('/office/balance')).body).toMatchObject({ balance: '974500.00' });
  });

  it('never sends again when the answer is lost', async () => {
    const reference = await prepared();
    sandbox.next('POST /disbursements/bank').dropAfterProcessing();
    for (let press = 0; press < 2; press += 1) {
      const { body } = await shop.post(`/office/payouts/${reference}/confirm`, {});
      expect(body).toMatchObject({ status: 'awaiting-outcome' });
    }
    const sent = sandbox.requests().filter(({ path }) => path.endsWith('/disbursements/bank'));
    expect(sent).toHaveLength(1);
  });

  it('says that the wallet holds too little', async () => {
    const { body } = await shop.post('/office/payouts', { ...supplier, amount: '2000000' });
    const { status } = await shop.post(`/office/payouts/${body['reference']}/confirm`, {});
    expect(status).toBe(402);
  });
});

describe('a shop that stops', () => {
  it('answers its running request, and ends the stream of an open page', async () => {
    const page = shop.follow(await bought());
    expect((await page.next()).value).toMatchObject({ status: 'awaiting-customer' });
    sandbox.next('POST /payments/mobile-money').delay('5s');
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
