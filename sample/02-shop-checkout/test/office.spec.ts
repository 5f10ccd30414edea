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

  const office = async (): Promise<Office> => (await shop.read<Office>('/office', KEY)).body;
  const decide = async (what: 'accept' | 'dismiss'): Promise<number> => {
    const { contradictions } = await office();
    return (await shop.send(`/office/contradictions/${contradictions[0]!.id}/${what}`, {}, KEY)).status;
  };

  it('sees another amount than the one that was asked for, and the order is not paid', async () => {
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

  it('accepts money that came after the payment had failed', async () => {
    const number = await shop.ordered();
    await sandbox.customer(PHONE).decline(number);
    await shop.deliver('payment.success', { reference: number, amount: '15000.00' });
    expect([await shop.stateOf(number), await shop.sold()]).toEqual(['review', 0]);
    expect(await decide('accept')).toBe(204);
    expect([await shop.stateOf(number), await shop.sold()]).toEqual(['paid', 1]);
    expect(await office()).toEqual({ contradictions: [], open: [], paidTwice: [] });
  });

  it('dismisses what changes nothing', async () => {
    const number = await shop.ordered();
    await sandbox.customer(PHONE).approve(number);
    await shop.deliver('payment.failed', { reference: number, amount: '15000.00' });
    expect(await shop.stateOf(number)).toBe('paid');
    expect(await decide('dismiss')).toBe(204);
    expect((await office()).contradictions).toEqual([]);
  });

  it('lets an order go on as its payment stands, once nothing about it is set aside any more', async () => {
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

  it('lets a customer try again whose late money was given back', async () => {
    const number = await shop.ordered();
    await sandbox.customer(PHONE).decline(number);
    await shop.deliver('payment.success', { reference: number, amount: '15000.00' });
    expect(await decide('dismiss')).toBe(204);
    expect(await shop.stateOf(number)).toBe('failed: failed');
  });

  it('says so when what it decides about is gone', async () => {
    expect((await shop.send('/office/contradictions/1/accept', {}, KEY)).status).toBe(409);
  });

  it('sees an order that was paid under both of its references', async () => {
    const number = await shop.ordered();
    await sandbox.customer(PHONE).decline(number);
    await shop.pay(number);
    await sandbox.customer(PHONE).approve(`${number}-2`);
    await shop.deliver('payment.success', { reference: number, amount: '15000.00' });
    expect(await shop.stateOf(number)).toBe('paid');
    await decide('accept');
    expect([(await office()).paidTwice, await shop.sold()]).toEqual([[number], 1]);
  });

  it('is closed to everybody without its password, and to clicks from elsewhere', async () => {
    const wrong = { authorization: `Basic ${Buffer.from('office:open').toString('base64')}` };
    expect([(await shop.read('/office')).status, (await shop.read('/office', wrong)).status]).toEqual([
      401, 401,
    ]);
    const dismissFrom = async (site: string): Promise<number> =>
      (await shop.send('/office/contradictions/1/dismiss', {}, { ...KEY, 'sec-fetch-site': site })).status;
    expect([
      await dismissFrom('cross-site'),
      await dismissFrom('same-site'),
      await dismissFrom('same-origin'),
    ]).toEqual([403, 403, 204]);
    delete process.env['OFFICE_PASSWORD'];
    expect((await shop.read('/office', KEY)).status).toBe(403);
    process.env['OFFICE_PASSWORD'] = 'open-sesame';
  });

  it('has pages with a strict content security policy', async () => {
    for (const page of ['', 'order.html', 'office.html']) {
      const answer = await fetch(`${shop.url}/${page}`);
      expect(answer.status).toBe(200);
      expect(answer.headers.get('content-security-policy')).toMatch(/^default-src 'self';/);
    }
  });
});
