import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { PaymentsJournal } from 'nestjs-payments';
import { type PaymentsSandbox } from 'nestjs-payments/sandbox';
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

  /** What every instance does each minute. */
  const upkeep = (): Promise<void> => shop.app.get(UpkeepService).lookAfterPayments();
  const journal = (): PaymentsJournal => shop.app.get(PaymentsJournal);

  async function lostAnswer(): Promise<string> {
    sandbox.next(ASK).dropAfterProcessing();
    return shop.ordered();
  }

  it('is never called failed after a lost answer, and is paid when the webhook says so', async () => {
    const number = await lostAnswer();
    const page = await shop.follow(number);
    expect(await page.next()).toBe('unknown');
    await sandbox.customer(PHONE).approve(number);
    expect(await page.next()).toBe('paid');
    expect(await shop.sold()).toBe(1);
  });

  it('is not requested again if the customer presses Pay again', async () => {
    const number = await lostAnswer();
    expect((await shop.pay(number, { phone: '0754 000 111' })).body.state).toBe('unknown');
    expect(sandbox.requests()).toHaveLength(1);
  });

  it('is found by the upkeep: the gateway has it, so the customer is asked', async () => {
    sandbox.next(ASK).dropBefore();
    const number = await shop.ordered();
    expect([await shop.stateOf(number), sandbox.payments().length]).toEqual(['unknown', 0]);
    await shop.age('10 minutes');
    await upkeep();
    expect([await shop.stateOf(number), sandbox.payments().length]).toEqual(['waiting', 1]);
  });

  it('goes to a person after an hour of silence, and is paid all the same', async () => {
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

  it('is paid by the word of an operator, once, also when the webhook comes after all', async () => {
    const number = await lostAnswer();
    await journal().settle('collection', number, 'success');
    await shop.age('10 minutes');
    await upkeep();
    expect([await shop.stateOf(number), await shop.sold()]).toEqual(['paid', 1]);
    await sandbox.customer(PHONE).approve(number);
    expect(await shop.sold()).toBe(1);
  });

  it('may be tried again when an operator knows that no money moved', async () => {
    const number = await lostAnswer();
    await journal().settle('collection', number, 'failed');
    await shop.age('10 minutes');
    await upkeep();
    expect(await shop.stateOf(number)).toBe('failed: failed');
    await shop.pay(number);
    expect(sandbox.payments().map(({ reference }) => reference)).toEqual([number, `${number}-2`]);
  });

  it('may be tried again if the shop died before it asked', async () => {
    const number = await shop.ordered();
    await shop.query('DELETE FROM payments_journal');
    await shop.query(`UPDATE orders SET state = 'asking'`);
    await upkeep();
    expect(await shop.stateOf(number)).toBe('asking'); // too young: somebody may be at it
    await shop.age('10 minutes');
    await upkeep();
    expect(await shop.stateOf(number)).toBe('failed: unavailable');
  });

  it('is waited for if the shop died after it had asked', async () => {
    const number = await shop.ordered();
    await shop.query(`UPDATE orders SET state = 'asking'`);
    await shop.age('10 minutes');
    await upkeep();
    expect(await shop.stateOf(number)).toBe('waiting');
  });
});
