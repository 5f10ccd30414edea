import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { PaymentsJournal } from 'nestjs-payments';
import { type PaymentsSandbox } from 'nestjs-payments/sandbox';
import { closeInRecovery } from '../../../test/support/close-in-recovery.js';
import { startSandbox } from '../../../test/support/sandbox.js';
import { UpkeepService } from '../src/payments/upkeep.service.js';
import { PHONE, RunningShop } from './running-shop.js';
import { describeOnOne } from './shop-databases.js';

const BOOT_MS = 60_000;
const ASK = 'POST /payments/mobile-money';

describeOnOne('an order of which nobody knows', (databaseUrl) => {
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

  /** What every instance does every five minutes. */
  const upkeep = (): Promise<void> => shop.app.get(UpkeepService).lookAfterPayments();
  const journal = (): PaymentsJournal => shop.app.get(PaymentsJournal);

  async function lostAnswer(): Promise<string> {
    sandbox.next(ASK).dropAfterProcessing();
    return shop.ordered();
  }

  it('an order is never called failed after a lost answer, and the webhook pays it', async () => {
    const number = await lostAnswer();
    const page = await shop.follow(number);
    expect(await page.next()).toBe('unknown');
    await sandbox.customer(PHONE).approve(number);
    expect(await page.next()).toBe('paid');
    expect(await shop.sold()).toBe(1);
  });

  it('an unknown payment is not requested again if the customer presses Pay again', async () => {
    const number = await lostAnswer();
    expect((await shop.pay(number, { phone: '0754 000 111' })).body.state).toBe('unknown');
    expect(sandbox.requests()).toHaveLength(1);
  });

  it('the upkeep finds that the gateway has an unknown payment, and the order waits for the customer', async () => {
    sandbox.next(ASK).dropBefore();
    const number = await shop.ordered();
    expect([await shop.stateOf(number), sandbox.payments().length]).toEqual(['unknown', 0]);
    await shop.age('10 minutes');
    await upkeep();
    expect([await shop.stateOf(number), sandbox.payments().length]).toEqual(['waiting', 1]);
  });

  it('an order that is unknown for an hour goes to a person, and a late webhook still pays it', async () => {
    const number = await shop.ordered();
    await shop.age('2 hours');
    const page = await shop.follow(number);
    expect(await page.next()).toBe('waiting');
    await upkeep();
    expect(await page.next()).toBe('stale');
    expect((await shop.pay(number)).body.state).toBe('stale');
    await sandbox.customer(PHONE).approve(number);
    expect(await page.next()).toBe('paid');
  });

  it('an operator can settle an unknown order as paid, and a later webhook does not pay it twice', async () => {
    const number = await lostAnswer();
    await journal().settle('collection', number, 'success');
    await shop.age('10 minutes');
    await upkeep();
    expect([await shop.stateOf(number), await shop.sold()]).toEqual(['paid', 1]);
    await sandbox.customer(PHONE).approve(number);
    expect(await shop.sold()).toBe(1);
  });

  it('an operator can settle an order as paid whose request was refused', async () => {
    sandbox.next(ASK).status(422);
    const number = await shop.ordered();
    expect(await shop.stateOf(number)).toBe('failed: unavailable');
    await shop.age('10 minutes');
    await upkeep();
    expect(await shop.stateOf(number)).toBe('failed: unavailable');
    await journal().settle('collection', number, 'success');
    await upkeep();
    expect([await shop.stateOf(number), await shop.sold()]).toEqual(['paid', 1]);
  });

  it('an order is reconciled however many others are left before it', async () => {
    const number = await lostAnswer();
    await journal().settle('collection', number, 'success');
    await shop.query(
      `INSERT INTO orders (number, checkout, product, amount, customer_name, phone, email, state, reason)
       SELECT 'A-' || nr, gen_random_uuid(), 'kanga', 1, 'A', '255712345678', 'a@example.com', 'failed', 'refused'
       FROM generate_series(1, 501) AS nr`,
    );
    await shop.query(
      `INSERT INTO order_payments (reference, order_number, nr) SELECT number, number, 1 FROM orders WHERE number LIKE 'A-%'`,
    );
    await shop.age('10 minutes');
    await upkeep();
    expect(await shop.stateOf(number)).toBe('paid');
  });

  it('an order can be paid again after an operator settled its payment as failed', async () => {
    const number = await lostAnswer();
    await journal().settle('collection', number, 'failed');
    await shop.age('10 minutes');
    await upkeep();
    expect(await shop.stateOf(number)).toBe('failed: failed');
    await shop.pay(number);
    expect(sandbox.payments().map(({ reference }) => reference)).toEqual([number, `${number}-2`]);
  });

  it('an order can be paid again if the shop crashed before it sent the request', async () => {
    const number = await shop.ordered();
    await shop.query('DELETE FROM payments_journal');
    await shop.query(`UPDATE orders SET state = 'asking'`);
    await upkeep();
    expect(await shop.stateOf(number)).toBe('asking'); // too young: somebody may be at it
    await shop.age('10 minutes');
    await upkeep();
    expect(await shop.stateOf(number)).toBe('failed: unavailable');
  });

  it('an order keeps waiting if the shop crashed after it had sent the request', async () => {
    const number = await shop.ordered();
    await shop.query(`UPDATE orders SET state = 'asking'`);
    await shop.age('10 minutes');
    await upkeep();
    expect(await shop.stateOf(number)).toBe('waiting');
  });

  it('the shutdown does not wait for the payments that the upkeep has not reached', async () => {
    const { app } = shop;
    await closeInRecovery({
      app,
      journal: journal(),
      provider: journal(),
      begin: () => {
        app.get(UpkeepService).onApplicationBootstrap();
      },
    });
    shop = await RunningShop.start(databaseUrl(), sandbox);
  });
});
