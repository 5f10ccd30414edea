import { beforeEach, describe, expect, it } from 'vitest';
import { type DayClose } from 'nestjs-payments/reconciliation';
import { reconciliationOfSpecs } from '../../support/reconciliation-of-specs.js';
import {
  asked,
  collected,
  HOUR,
  paidOut,
  type ReconciliationApp,
} from '../../support/reconciliation-place.js';

const BY = { by: 'accountant' };

describe('a day that is closed', () => {
  const place = reconciliationOfSpecs();
  let shop: ReconciliationApp;

  /** Closes a day right after its end, with the gateway's statement. */
  const closeToday = async (day = place.today()): Promise<DayClose> => {
    await place.nextDay(0);
    return shop.reconciliation.close({ day, statement: place.statement(day), ...BY });
  };

  beforeEach(async () => {
    await place.nextDay(8);
    shop = await place.startWithWebhooks();
  });

  it('adds up: the balance before and what moved are the balance after', async () => {
    await closeToday();
    await place.pass(9 * HOUR);
    await collected(shop, place.sandbox, 'order-1', '50000');
    await collected(shop, place.sandbox, 'order-2', '10000');
    await asked(shop, 'order-3', '7000');
    await place.sandbox.customer('255712345678').decline('order-3');
    await paidOut(shop, 'supplier-1', '20000');
    await place.sandbox.payout('supplier-1').pay();
    const close = await closeToday();
    expect(close.exceptions).toEqual([]);
    expect(close.summary).toMatchObject({
      collections: { count: 2, amount: '60000.00', fees: '1200.00' },
      payouts: { count: 1, amount: '20000.00', fees: '500.00' },
      open: { count: 0 },
      expected: 0,
      exceptions: {},
      statement: { rows: 3, matched: 3, otherDays: 0 },
      balance: {
        opening: { balance: '100000000.00' },
        in: '60000.00',
        out: '20000.00',
        fees: '1700.00',
        other: '0.00',
        least: '0.00',
        most: '0.00',
        underWay: '0.00',
        difference: '0.00',
        closing: { balance: '100038300.00' },
      },
    });
    expect(close.proposals).toEqual([
      {
        account: 'default',
        day: close.summary.day,
        statement: `${close.summary.day}.csv`,
        exception: undefined,
        family: 'disbursement',
        reference: 'supplier-1',
        outcome: 'paid',
        row: 4,
      },
    ]);
  });

  it('settles what its statement proves, and nothing by itself', async () => {
    await closeToday();
    await place.pass(9 * HOUR);
    await paidOut(shop, 'supplier-1', '20000');
    await place.sandbox.payout('supplier-1').pay();
    const { proposals } = await closeToday();
    expect(await shop.journal.get('disbursement', 'supplier-1')).toMatchObject({ state: 'accepted' });
    const outcome = shop.journal.waitForOutcome('disbursement', 'supplier-1', { timeoutMs: 60_000 });
    expect(await shop.reconciliation.apply(proposals, BY)).toEqual({ settled: 1, refused: [] });
    expect(await outcome).toMatchObject({ state: 'settled', outcome: 'paid' });
    expect(await shop.reconciliation.apply(proposals, BY)).toEqual({ settled: 1, refused: [] });
  });

  it('is the same when it is closed again, also after a restart', async () => {
    await closeToday();
    await place.pass(9 * HOUR);
    await paidOut(shop, 'supplier-1', '20000');
    await place.sandbox.payout('supplier-1').pay();
    const day = place.today();
    const close = await closeToday();
    await shop.reconciliation.apply(close.proposals, BY);
    await shop.app.close();
    shop = await place.startWithWebhooks();
    const again = await shop.reconciliation.close({ day, statement: place.statement(day), ...BY });
    expect(again.summary).toEqual(close.summary);
    expect(again.exceptions).toEqual(close.exceptions);
    expect(again.proposals).toEqual(close.proposals);
    expect((await shop.reconciliation.open(day)).summary).toEqual(close.summary);
    expect(await shop.reconciliation.status()).toMatchObject({ lastDay: day, open: {} });
  });

  it('leaves what moves around its end to the next day', async () => {
    await closeToday();
    await place.pass(23.9 * HOUR);
    await asked(shop, 'order-1', '50000');
    await paidOut(shop, 'supplier-1', '20000');
    const first = await closeToday();
    expect(first.exceptions).toEqual([]);
    expect(first.summary).toMatchObject({
      open: { count: 2 },
      expected: 2,
      balance: { least: '-20500.00', most: '49000.00', difference: '0.00' },
    });
    await place.sandbox.customer('255712345678').approve('order-1');
    await place.sandbox.payout('supplier-1').pay();
    const second = await closeToday();
    expect(second.exceptions).toEqual([]);
    expect(second.summary).toMatchObject({
      open: { count: 0 },
      statement: { matched: 2 },
      balance: { in: '50000.00', out: '20000.00', fees: '1500.00', difference: '0.00' },
    });
  });

  it('has no difference because the statement cuts times to the minute', async () => {
    await closeToday();
    // The opening balance was read in the same minute.
    await place.pass(20_000);
    await collected(shop, place.sandbox, 'order-1', '50000');
    const day = place.today();
    await place.nextDay(0);
    const statement = place.statement(day, (csv) => csv.replaceAll(/(T\d\d:\d\d):[\d.]+/g, '$1'));
    const close = await shop.reconciliation.close({ day, statement, ...BY });
    expect(close.exceptions).toEqual([]);
    expect(close.summary.balance).toMatchObject({ in: '50000.00', fees: '1000.00', difference: '0.00' });
  });

  it('forgets what is old and not needed any more, and continues as before', async () => {
    await closeToday();
    await place.pass(9 * HOUR);
    await paidOut(shop, 'supplier-2', '5000');
    await paidOut(shop, 'supplier-1', '20000');
    await place.sandbox.payout('supplier-1').pay();
    const { proposals, summary } = await closeToday();
    await shop.reconciliation.apply(proposals, BY);
    await place.pass(40 * 24 * HOUR);
    const olderThanMs = 30 * 24 * HOUR;
    // If nobody closed a day for that long, what the last close left is needed.
    expect(await shop.reconciliation.purge({ olderThanMs })).toBe(3);
    const day = new Date(Date.parse(summary.day) + 24 * HOUR).toISOString().slice(0, 10);
    const next = await shop.reconciliation.close({ day, ...BY });
    expect(next.exceptions).toEqual([]);
    // The lists of the close before: one payment that was handed on, and one proposal.
    expect(await shop.reconciliation.purge({ olderThanMs })).toBe(2);
    expect((await shop.reconciliation.open(summary.day)).summary).toEqual(summary);
    await expect(shop.reconciliation.purge({ olderThanMs: olderThanMs - 1 })).rejects.toMatchObject({
      name: 'PaymentsValidationError',
    });
  });
});
