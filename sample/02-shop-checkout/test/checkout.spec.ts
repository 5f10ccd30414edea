import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { type PaymentsSandbox } from 'nestjs-payments/sandbox';
import { startSandbox } from '../../../test/support/sandbox.js';
import { PHONE, RunningShop } from './running-shop.js';
import { describeOnBoth } from './shop-databases.js';

const BOOT_MS = 60_000;
const ASK = 'POST /payments/mobile-money';

describeOnBoth('the checkout', (databaseUrl) => {
  let sandbox: PaymentsSandbox;
  let shop: RunningShop;

  beforeAll(async () => {
    sandbox = await startSandbox({ clock: 'manual', seed: 1 });
    shop = await RunningShop.start(databaseUrl(), sandbox);
  }, BOOT_MS);
  beforeEach(async () => {
    await sandbox.reset();
    await shop.clear();
  });
  afterAll(() => shop.close());

  const asked = (): readonly string[] => sandbox.payments().map(({ reference }) => reference);

  it('an approved payment turns its order paid, on its open page too, and sells one item', async () => {
    const { status, body } = await shop.order();
    expect({ status, body }).toMatchObject({
      status: 201,
      body: { state: 'waiting', amount: '15000.00', phoneEnding: '678' },
    });
    const page = await shop.follow(body.number);
    expect(await page.next()).toBe('waiting');
    await sandbox.customer(PHONE).approve(body.number);
    expect(await page.next()).toBe('paid');
    await expect(page.next()).rejects.toThrow('ended');
    expect([await shop.stateOf(body.number), await shop.sold()]).toEqual(['paid', 1]);
  });

  it('the shop requests the price of the catalogue and takes no amount from the browser', async () => {
    expect((await shop.order({ amount: '1.00' })).status).toBe(400);
    await shop.order({ product: 'kikoi' });
    expect(sandbox.payments().map(({ amount }) => amount)).toEqual(['28000.00']);
  });

  it('the page of an order shows neither the name nor the phone of its customer', async () => {
    const { body } = await shop.read(`/api/orders/${await shop.ordered()}`);
    expect(JSON.stringify(body)).not.toMatch(/Asha|712345|example\.com/);
  });

  it('a form that is sent twice at once makes one order and one request', async () => {
    const checkout = randomUUID();
    const answers = await Promise.all([shop.order({ checkout }), shop.order({ checkout })]);
    const again = await shop.order({ checkout });
    expect(new Set([...answers, again].map(({ body }) => body.number)).size).toBe(1);
    expect(sandbox.requests()).toHaveLength(1);
  });

  it('a form that is sent again after its payment failed requests no other payment', async () => {
    const checkout = randomUUID();
    const { number } = (await shop.order({ checkout })).body;
    await sandbox.customer(PHONE).decline(number);
    expect((await shop.order({ checkout })).body).toMatchObject({ number, state: 'failed' });
    expect(asked()).toEqual([number]);
  });

  it.each([
    ['decline', 'failed'],
    ['cancel', 'cancelled'],
    ['expire', 'expired'],
  ] as const)(
    'the page says why an order failed after %s, and Pay again requests it under a new reference',
    async (what, reason) => {
      const number = await shop.ordered();
      const [tab, otherTab] = [await shop.follow(number), await shop.follow(number)];
      expect([await tab.next(), await otherTab.next()]).toEqual(['waiting', 'waiting']);
      await sandbox.customer(PHONE)[what](number);
      expect([await tab.next(), await otherTab.next()]).toEqual(['failed', 'failed']);
      expect(await shop.stateOf(number)).toBe(`failed: ${reason}`);

      await Promise.all([shop.pay(number), shop.pay(number)]);
      expect(asked()).toEqual([number, `${number}-2`]);
      await sandbox.customer(PHONE).approve(`${number}-2`);
      let last = '';
      while (last !== 'paid') last = await otherTab.next();
      expect([await shop.stateOf(number), await shop.sold()]).toEqual(['paid', 1]);
      tab.close();
    },
  );

  it('after a refusal the shop requests the payment again under the same reference, from another phone too', async () => {
    sandbox.next(ASK).status(422, { code: 'INVALID_REQUEST' });
    const { status, body } = await shop.order();
    expect({ status, body }).toMatchObject({ status: 201, body: { state: 'failed', reason: 'refused' } });
    const again = await shop.pay(body.number, { phone: '+255 754 000 111' });
    expect(again).toMatchObject({ status: 200, body: { state: 'waiting', phoneEnding: '111' } });
    await sandbox.customer('255754000111').approve(body.number);
    expect(await shop.stateOf(body.number)).toBe('paid');
  });

  it('the page says how long to wait if the gateway gets too many requests, and asks the same phone then', async () => {
    const { number, ...limited } = (await shop.order({ phone: '0712 340 429' })).body;
    expect(limited).toMatchObject({ state: 'failed', reason: 'limited' });
    expect(limited.waitMs).toBeGreaterThan(0);
    expect(limited.waitMs).toBeLessThanOrEqual(2_000);
    expect((await shop.pay(number, { phone: '0754 000 111' })).body.phoneEnding).toBe('429');
    expect(asked()).toEqual([]);
  });

  it('the page of an order has an address of its own, in no frame but the one that is allowed', async () => {
    const answer = await fetch(`${shop.url}/orders/${await shop.ordered()}`);
    expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(answer.headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
    expect(await answer.text()).toContain('<script type="module" src="/order.js">');
  });

  it('the page says that nothing was requested if the keys are wrong', async () => {
    sandbox.next(ASK).status(401);
    expect(await shop.stateOf(await shop.ordered())).toBe('failed: unavailable');
    expect(asked()).toEqual([]);
  });

  it('an order stays paid if the webhook is faster than the answer', async () => {
    const { body } = await shop.order({ phone: '0712 340 008' }); // approved before the emulator answers
    expect(body.state).toBe('paid');
  });

  it('Pay again does nothing for an order that is waiting or paid', async () => {
    const number = await shop.ordered();
    expect((await shop.pay(number)).body.state).toBe('waiting');
    await sandbox.customer(PHONE).approve(number);
    expect((await shop.pay(number)).body.state).toBe('paid');
    expect(sandbox.requests()).toHaveLength(1);
  });

  it('the shop stores nothing for a form with a mistake', async () => {
    const { status, body } = await shop.send<Record<'message' | 'fields', readonly string[]>>('/api/orders', {
      checkout: 'mine',
      product: 'kanga',
      name: '',
      phone: '712 345 678',
      email: 'asha',
    });
    expect(status).toBe(400);
    expect(body.message).toEqual([
      'load the page again',
      'write your name',
      'write a Tanzanian mobile number such as 0712 345 678',
      'write an e-mail address such as asha@example.com',
    ]);
    expect(body.fields).toEqual(['checkout', 'name', 'phone', 'email']);
    const changes = [{ product: 'gold' }, { product: 'kanga\0' }, { name: '   ' }, { name: 'As\0ha' }];
    for (const change of changes) expect((await shop.order(change)).status).toBe(400);
    expect(await shop.query('SELECT FROM orders')).toEqual([]);
  });

  it('the shop answers 404 for an order that it never made', async () => {
    for (const path of ['/api/orders/SP-000000000000', '/api/orders/SP-%00', '/api/orders/-1']) {
      const statuses = [
        await shop.read(path),
        await shop.read(`${path}/events`),
        await shop.send(`${path}/pay`, {}),
      ];
      expect(statuses.map(({ status }) => status)).toEqual([404, 404, 404]);
    }
  });
});
