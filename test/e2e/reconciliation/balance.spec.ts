import { beforeEach, describe, expect, it } from 'vitest';
import { randomBytes } from 'node:crypto';
import { aesGcm, type PaymentsModuleOptions } from 'nestjs-payments';
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
const PAYOUTS = 'POST /disbursements/bank';

describe('the balance of a day without a statement', () => {
  const place = reconciliationOfSpecs();
  let shop: ReconciliationApp;

  const start = async (policy = {}, options: Partial<PaymentsModuleOptions> = {}): Promise<void> => {
    shop = await place.startWithWebhooks({ policy, options });
    await closeToday();
    await place.pass(9 * HOUR);
  };
  const closeToday = async (): Promise<DayClose> => {
    const day = place.today();
    await place.nextDay(0);
    return shop.reconciliation.close({ day, ...BY });
  };
  /** A payout whose answer is lost. */
  const lost = async (reference: string, amount: string, isSent: boolean): Promise<void> => {
    const next = place.sandbox.next(PAYOUTS);
    if (isSent) next.dropAfterProcessing();
    else next.dropBefore();
    await expect(paidOut(shop, reference, amount)).rejects.toThrow();
    if (isSent) await place.sandbox.payout(reference).pay();
  };

  beforeEach(async () => {
    await place.nextDay(8);
  });

  it('holds what moved before it was read, though that was sealed again, or erased, since', async () => {
    const keys = { old: randomBytes(32), now: randomBytes(32) };
    await start({}, { encryption: aesGcm({ keys: { old: keys.old }, current: 'old' }) });
    await collected(shop, place.sandbox, 'order-1', '50000');
    await collected(shop, place.sandbox, 'order-2', '50000');
    await place.pass(HOUR);
    const day = place.today();
    await place.nextDay(0);
    await shop.reconciliation.readBalance();
    await place.pass(HOUR);
    await shop.app.close();
    const options = { encryption: aesGcm({ keys, current: 'now' }) };
    shop = await place.start({ options });
    expect(await shop.journal.reseal()).toMatchObject({ resealed: 2 });
    await shop.journal.erase('collection', 'order-2');
    const { summary } = await shop.reconciliation.close({ day, ...BY });
    expect(summary.balance).toMatchObject({ in: '100000.00', difference: '0.00' });
  });

  it('is a point if everything has ended', async () => {
    await start();
    await collected(shop, place.sandbox, 'order-1', '50000');
    await paidOut(shop, 'supplier-1', '20000');
    await place.sandbox.payout('supplier-1').pay();
    await shop.journal.settle('disbursement', 'supplier-1', 'paid');
    const { summary, exceptions } = await closeToday();
    expect(exceptions).toEqual([]);
    expect(summary.statement).toBeUndefined();
    expect(summary.balance).toMatchObject({
      in: '50000.00',
      out: '20000.00',
      fees: '1500.00',
      least: '0.00',
      most: '0.00',
      difference: '0.00',
    });
  });

  it('is an interval while payouts are accepted, and narrow again when they cannot move any more', async () => {
    await start({ payoutsEndWithinMs: 30 * HOUR });
    await paidOut(shop, 'supplier-1', '20000');
    await place.sandbox.payout('supplier-1').pay();
    expect((await closeToday()).summary.balance).toMatchObject({
      least: '-20500.00',
      most: '0.00',
      underWay: '-20500.00',
      difference: '0.00',
    });
    expect((await closeToday()).summary.balance).toMatchObject({ least: '-20500.00', most: '20500.00' });
    const { exceptions, summary } = await closeToday();
    expect(summary.balance).toMatchObject({ least: '0.00', most: '0.00', difference: '0.00' });
    expect(exceptions).toEqual([]);
  });

  it('says which unknown payments explain it, and proposes nothing', async () => {
    await start();
    await paidOut(shop, 'supplier-1', '20000');
    await place.sandbox.payout('supplier-1').pay();
    await shop.journal.settle('disbursement', 'supplier-1', 'paid');
    await lost('supplier-2', '30000', true);
    await lost('supplier-3', '70000', false);
    const { exceptions, proposals } = await closeToday();
    const shown = exceptions.map(({ kind, reference, hint }) => [kind, reference, hint]);
    expect(shown.sort()).toEqual([
      ['unknown', 'supplier-2', 'It fits if exactly these open payments moved: "supplier-2".'],
      ['unknown', 'supplier-3', 'It fits if exactly these open payments moved: "supplier-2".'],
    ]);
    expect(proposals).toEqual([]);
  });

  it('says nothing if two payments of the same amount explain it', async () => {
    await start();
    await paidOut(shop, 'supplier-1', '20000');
    await lost('supplier-2', '30000', true);
    await lost('supplier-3', '30000', false);
    const { exceptions } = await closeToday();
    expect(exceptions.map(({ hint }) => hint)).toEqual([undefined, undefined]);
  });

  it('takes the first reading after the end of the day, and what moved since then belongs to the next one', async () => {
    await start();
    const day = place.today();
    await asked(shop, 'order-1', '50000');
    await place.nextDay(0);
    const reading = await shop.reconciliation.readBalance();
    await collected(shop, place.sandbox, 'order-2', '10000');
    await place.pass(HOUR);
    await shop.reconciliation.readBalance();
    const close = await shop.reconciliation.close({ day, ...BY });
    expect(close.summary.balance).toMatchObject({ closing: reading, in: '0.00', difference: '0.00' });
    expect((await closeToday()).summary.balance).toMatchObject({
      opening: reading,
      in: '10000.00',
      fees: '200.00',
      difference: '0.00',
    });
  });

  it('is not taken from a reading whose answer came after the opening balance was read', async () => {
    const { pool } = place.database;
    shop = await place.start();
    const day = place.today();
    await place.nextDay(0);
    const next = place.today();
    await place.nextDay(0);
    // The answer of the first of two readings is late: it comes after the first close, which takes the second one.
    await shop.reconciliation.readBalance();
    await pool.query("UPDATE payments_reconciliation SET state = 'asked' WHERE kind = 'balance'");
    await place.pass(1_000);
    const second = await shop.reconciliation.readBalance();
    await shop.reconciliation.close({ day, ...BY });
    await pool.query(
      "UPDATE payments_reconciliation SET state = 'read', updated_at = updated_at + interval '1 minute' WHERE kind = 'balance' AND state = 'asked'",
    );
    await place.pass(HOUR);
    const close = await shop.reconciliation.close({ day: next, ...BY });
    expect(close.summary.balance).toBeUndefined();
    const after = await closeToday();
    expect(after.summary.balance).toMatchObject({ opening: second, difference: '0.00' });
  });

  it('is known although the clock of the database stepped back', async () => {
    await start();
    await collected(shop, place.sandbox, 'order-1', '50000');
    await place.database.pool.query(
      "UPDATE payments_journal SET updated_at = created_at - interval '1 second'",
    );
    const { summary, exceptions } = await closeToday();
    expect(exceptions).toEqual([]);
    expect(summary.balance).toMatchObject({ in: '50000.00', difference: '0.00' });
  });
});
