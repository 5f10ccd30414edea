import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { type PaymentsSandbox } from 'nestjs-payments/sandbox';
import { startSandbox } from '../../../test/support/sandbox.js';
import { type Office } from '../src/office/office.controller.js';
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
    const elsewhere = { ...KEY, 'sec-fetch-site': 'cross-site' };
    expect((await shop.send('/office/contradictions/1/dismiss', {}, elsewhere)).status).toBe(403);
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
