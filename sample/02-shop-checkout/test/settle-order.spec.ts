import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { type PaymentsSandbox } from 'nestjs-payments/sandbox';
import { startSandbox } from '../../../test/support/sandbox.js';
import { Database } from '../src/database/database.js';
import { inTransaction } from '../src/database/in-transaction.js';
import { type CollectionOutcome, type SettleEffect, settleOrder } from '../src/payments/settle-order.js';
import { RunningShop } from './running-shop.js';
import { describeOnOne } from './shop-databases.js';

const BOOT_MS = 60_000;

describeOnOne('the end of a payment', (databaseUrl) => {
  let sandbox: PaymentsSandbox;
  let shop: RunningShop;
  let number: string;

  beforeAll(async () => {
    sandbox = await startSandbox({ clock: 'manual', seed: 1 });
    shop = await RunningShop.start(databaseUrl(), sandbox);
  }, BOOT_MS);
  beforeEach(async () => {
    await sandbox.reset();
    await shop.clear();
    number = await shop.ordered();
  });
  afterAll(() => shop.close());

  const settle = (reference: string, outcome: CollectionOutcome, paid?: string): Promise<SettleEffect> =>
    inTransaction(shop.app.get(Database).pool, (client) => settleOrder(client, reference, outcome, paid));

  it('the end of a payment counts once, however often it is written down', async () => {
    expect([await settle(number, 'success'), await settle(number, 'success')]).toEqual(['paid', 'nothing']);
    expect(await shop.sold()).toBe(1);
  });

  it('a failed payment fails its order only if no other payment was requested since', async () => {
    expect(await settle(number, 'failed')).toBe('failed');
    await shop.pay(number);
    expect(await settle(number, 'expired')).toBe('nothing');
    expect(await shop.stateOf(number)).toBe('waiting');
  });

  it('a successful payment pays its order even if another one was requested since, and the log says if both are paid', async () => {
    await settle(number, 'failed');
    await shop.pay(number);
    expect(await settle(number, 'success')).toBe('paid');
    expect(await settle(`${number}-2`, 'success')).toBe('paid twice');
    expect([await shop.stateOf(number), await shop.sold()]).toEqual(['paid', 1]);
  });

  it('another amount pays no order, and is told of one that another payment has paid', async () => {
    await settle(number, 'failed');
    await shop.pay(number);
    expect(await settle(`${number}-2`, 'success', '1.00')).toBe('other amount');
    expect([await shop.stateOf(number), await shop.sold()]).toEqual(['review', 0]);
    expect(await settle(`${number}-2`, 'success', '15000.00')).toBe('paid');
    expect(await settle(number, 'success', '1.00')).toBe('paid twice');
  });

  it('a later failure leaves a paid order paid', async () => {
    await settle(number, 'success');
    expect(await settle(number, 'failed')).toBe('nothing');
    expect(await shop.stateOf(number)).toBe('paid');
  });

  it('a payment whose reference belongs to no order changes nothing', async () => {
    expect(await settle('SP-000000000000', 'success')).toBe('no such payment');
  });
});
