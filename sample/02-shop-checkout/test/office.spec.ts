import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { type PaymentsSandbox } from 'nestjs-payments/sandbox';
import { startSandbox } from '../../../test/support/sandbox.js';
import { type Office } from '../src/office/office.controller.js';
import { UpkeepService } from '../src/payments/upkeep.service.js';
import { PHONE, RunningShop } from './running-shop.js';
import { describeOnOne } from './shop-databases.js';

const BOOT_MS = 60_000;
const KEY = { authorization: `Basic ${Buffer.from('office:open-sesame').toString('base64')}` };

describeOnOne('the office', (databaseUrl) => {
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

  const office = async (): Promise<Office> => (await shop.read<Office>('/api/office', KEY)).body;
  const decide = async (what: 'accept' | 'dismiss'): Promise<number> => {
    const { contradictions } = await office();
    return (await shop.send(`/api/office/contradictions/${contradictions[0]!.id}/${what}`, {}, KEY)).status;
  };

  it('the office sees a payment with another amount, and its order is not paid', async () => {
    const number = await shop.ordered();
    expect(await shop.deliver('payment.success', { reference: number, amount: '1.00' })).toBe(200);
    expect([await shop.stateOf(number), await shop.sold()]).toEqual(['review', 0]);
    expect(await office()).toMatchObject({
      contradictions: [{ kind: 'mismatch', reference: number, amount: '1.00' }],
      open: [{ reference: number, amount: '15000.00', state: 'review' }],
    });
    expect((await shop.pay(number)).body.state).toBe('review');
    expect(JSON.stringify(await office())).not.toContain(PHONE);
  });

  it('an order whose payment the journal has lost is not paid by another amount', async () => {
    const number = await shop.ordered();
    await shop.query('DELETE FROM payments_journal');
    expect(await shop.deliver('payment.success', { reference: number, amount: '1.00' })).toBe(200);
    expect([await shop.stateOf(number), await shop.sold()]).toEqual(['review', 0]);
    expect((await office()).open).toMatchObject([{ reference: number, state: 'review' }]);
    expect((await shop.pay(number)).body.state).toBe('review');
  });

  it('an order whose payment the journal has lost is paid by its own amount', async () => {
    const number = await shop.ordered();
    await shop.query('DELETE FROM payments_journal');
    await shop.deliver('payment.success', { reference: number, amount: '15000.00' });
    expect([await shop.stateOf(number), await shop.sold()]).toEqual(['paid', 1]);
  });

  it('the office can accept another amount', async () => {
    const number = await shop.ordered();
    await shop.deliver('payment.success', { reference: number, amount: '14999.00' });
    expect(await decide('accept')).toBe(204);
    expect([await shop.stateOf(number), await shop.sold()]).toEqual(['paid', 1]);
    expect(await office()).toEqual({ contradictions: [], open: [], paidTwice: [] });
  });

  it('the office can accept money that came after the payment had failed', async () => {
    const number = await shop.ordered();
    await sandbox.customer(PHONE).decline(number);
    await shop.deliver('payment.success', { reference: number, amount: '15000.00' });
    expect([await shop.stateOf(number), await shop.sold()]).toEqual(['review', 0]);
    expect(await decide('accept')).toBe(204);
    expect([await shop.stateOf(number), await shop.sold()]).toEqual(['paid', 1]);
    expect(await office()).toEqual({ contradictions: [], open: [], paidTwice: [] });
  });

  it('the office can dismiss a webhook that changes nothing', async () => {
    const number = await shop.ordered();
    await sandbox.customer(PHONE).approve(number);
    await shop.deliver('payment.failed', { reference: number, amount: '15000.00' });
    expect(await shop.stateOf(number)).toBe('paid');
    expect(await decide('dismiss')).toBe(204);
    expect((await office()).contradictions).toEqual([]);
  });

  it('an order takes the state of its payment after the office has decided about the last webhook', async () => {
    const number = await shop.ordered();
    await shop.deliver('payment.success', { reference: number, amount: '1.00' });
    await shop.deliver('payment.success', { reference: number, amount: '2.00' });
    expect(await decide('dismiss')).toBe(204);
    expect(await shop.stateOf(number)).toBe('review');
    expect(await decide('dismiss')).toBe(204);
    expect(await shop.stateOf(number)).toBe('unknown');
    await shop.age('10 minutes');
    await shop.app.get(UpkeepService).lookAfterPayments();
    expect(await shop.stateOf(number)).toBe('waiting');
    await sandbox.customer(PHONE).approve(number);
    expect([await shop.stateOf(number), await shop.sold()]).toEqual(['paid', 1]);
  });

  it('a customer can pay again after the office returned late money', async () => {
    const number = await shop.ordered();
    await sandbox.customer(PHONE).decline(number);
    await shop.deliver('payment.success', { reference: number, amount: '15000.00' });
    expect(await decide('dismiss')).toBe(204);
    expect(await shop.stateOf(number)).toBe('failed: failed');
  });

  it('the office gets 409 if the webhook that it decides about is gone', async () => {
    expect((await shop.send('/api/office/contradictions/1/accept', {}, KEY)).status).toBe(409);
  });

  it('the office sees an order that was paid under both of its references', async () => {
    const number = await shop.ordered();
    await sandbox.customer(PHONE).decline(number);
    await shop.pay(number);
    await sandbox.customer(PHONE).approve(`${number}-2`);
    await shop.deliver('payment.success', { reference: number, amount: '15000.00' });
    expect(await shop.stateOf(number)).toBe('paid');
    await decide('accept');
    expect([(await office()).paidTwice, await shop.sold()]).toEqual([[number], 1]);
  });

  it('the office sees an order that was charged twice under one reference', async () => {
    const number = await shop.ordered();
    await sandbox.customer(PHONE).approve(number);
    await shop.deliver('payment.success', {
      reference: number,
      amount: '15000.00',
      provider_reference: 'ANOTHER-CHARGE',
    });
    expect((await office()).contradictions).toHaveLength(1);
    expect(await decide('accept')).toBe(204);
    expect(await office()).toEqual({ contradictions: [], open: [], paidTwice: [number] });
    expect([await shop.stateOf(number), await shop.sold()]).toEqual(['paid', 1]);
  });

  it('the office refuses requests without its password, and clicks from other sites', async () => {
    const wrong = { authorization: `Basic ${Buffer.from('office:open').toString('base64')}` };
    expect([(await shop.read('/api/office')).status, (await shop.read('/api/office', wrong)).status]).toEqual(
      [401, 401],
    );
    const dismissFrom = async (site: string): Promise<number> =>
      (await shop.send('/api/office/contradictions/1/dismiss', {}, { ...KEY, 'sec-fetch-site': site }))
        .status;
    expect([
      await dismissFrom('cross-site'),
      await dismissFrom('same-site'),
      await dismissFrom('same-origin'),
    ]).toEqual([403, 403, 204]);
    expect((await shop.read('/api/office', { ...KEY, 'sec-fetch-site': 'cross-site' })).body).toMatchObject({
      code: 'FOREIGN_PAGE',
    });
    delete process.env['OFFICE_PASSWORD'];
    expect((await shop.read('/api/office', KEY)).status).toBe(403);
    process.env['OFFICE_PASSWORD'] = 'open-sesame';
  });

  it('the pages of the office have a strict content security policy', async () => {
    for (const page of ['', 'orders/SP-000000000000', 'office.html']) {
      const answer = await fetch(`${shop.url}/${page}`);
      expect(answer.status).toBe(200);
      expect(answer.headers.get('content-security-policy')).toMatch(/^default-src 'self';/);
    }
  });
});
