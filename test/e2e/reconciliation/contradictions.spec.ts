import { beforeEach, describe, expect, it } from 'vitest';
import { type DayClose } from 'nestjs-payments/reconciliation';
import { reconciliationOfSpecs } from '../../support/reconciliation-of-specs.js';
import { asked, HOUR, paidOut, type ReconciliationApp } from '../../support/reconciliation-place.js';

const BY = { by: 'accountant' };
const DAY = 24 * HOUR;

/** A row of the emulator's form for a payout. */
const payoutRow = (
  at: number,
  { reference = 'supplier-1', amount = '30000.00', status = 'paid' } = {},
): string =>
  `${new Date(at).toISOString()},Payout,${reference},,${amount},500.00,0150000000999,TZS,${status}\n`;

const shown = ({ exceptions, proposals }: DayClose): readonly unknown[] => [
  ...exceptions.map(({ kind, reference, proposal }) => [kind, reference, proposal?.outcome]),
  ...proposals
    .filter(({ exception }) => exception === undefined)
    .map(({ reference, outcome }) => [reference, outcome]),
];

const place = reconciliationOfSpecs();

describe('rows that contradict each other, or do not name a payment for certain', () => {
  let shop: ReconciliationApp;

  const closeWith = async (rows: readonly string[], allowNoMatch = false): Promise<DayClose> => {
    const day = place.today();
    await place.nextDay(0);
    const statement = place.statement(day, (csv) => `${csv.split('\n')[0]}\n${rows.join('')}`);
    return shop.reconciliation.close({ day, statement, allowNoMatch, ...BY });
  };
  const now = (): number => place.sandbox.clock.now();

  beforeEach(async () => {
    await place.nextDay(8);
    shop = await place.start({ policy: { looseMatching: { withinMs: DAY } } });
    const day = place.today();
    await place.nextDay(0);
    await shop.reconciliation.close({ day, ...BY });
    await place.pass(8 * HOUR);
  });

  it('prove that a payout arrived, if one attempt failed before', async () => {
    await paidOut(shop, 'supplier-1', '30000');
    await place.sandbox.payout('supplier-1').pay();
    const [failed, paid] = [
      payoutRow(now() + HOUR, { status: 'failed' }),
      payoutRow(now() + 2 * HOUR, { status: 'paid' }),
    ];
    expect(shown(await closeWith([failed, paid]))).toEqual([['supplier-1', 'paid']]);
  });

  it.each([
    ['before', (rows: readonly string[]) => rows],
    ['after', (rows: readonly string[]) => [...rows].reverse()],
  ])('prove nothing if a later one says that it failed, in a row %s the other one', async (_, order) => {
    await paidOut(shop, 'supplier-1', '30000');
    const rows = [
      payoutRow(now() + HOUR, { status: 'paid' }),
      payoutRow(now() + 2 * HOUR, { status: 'failed' }),
    ];
    expect(shown(await closeWith(order(rows)))).toEqual([['status', 'supplier-1', undefined]]);
  });

  it('prove nothing of a payment of another amount', async () => {
    await paidOut(shop, 'supplier-1', '30000');
    const rows = [payoutRow(now() + HOUR, { status: 'failed', amount: '7.00' })];
    expect(shown(await closeWith(rows))).toEqual([['amount', 'supplier-1', undefined]]);
  });

  it('prove nothing of an attempt that began after them', async () => {
    place.sandbox.next('POST /disbursements/bank').status(402, { code: 'INSUFFICIENT_BALANCE' });
    await expect(paidOut(shop, 'supplier-1', '30000')).rejects.toThrow();
    const failed = payoutRow(now() + 1, { status: 'failed' });
    await place.pass(HOUR);
    await paidOut(shop, 'supplier-1', '30000');
    expect(shown(await closeWith([failed]))).toEqual([]);
    // It was accepted, and nothing says that it ended.
    expect(shown(await closeWith([]))).toEqual([['unproven', 'supplier-1', undefined]]);
  });

  const refusedOnce = async (againMs: number): Promise<number> => {
    place.sandbox.next('POST /disbursements/bank').status(402, { code: 'INSUFFICIENT_BALANCE' });
    await expect(paidOut(shop, 'supplier-1', '30000')).rejects.toThrow();
    const first = now();
    await place.pass(againMs);
    await paidOut(shop, 'supplier-1', '30000');
    return first;
  };
  const STATUS = [['status', 'supplier-1', undefined]];

  it.each([5_000, 60_000, 240_000])(
    'prove no failure of an attempt that began two seconds after the one before, by a clock %d ms ahead',
    async (aheadMs) => {
      const first = await refusedOnce(2_000);
      const failed = payoutRow(first + aheadMs, { status: 'failed' });
      const close = await closeWith([failed, failed]);
      expect(shown(close)).toEqual(STATUS);
      expect(close.exceptions[0]?.reason).toContain('so soon after it that it may be another failure');
      await place.pass(8 * HOUR);
      await place.sandbox.payout('supplier-1').pay();
      const next = await closeWith([payoutRow(now() + HOUR)]);
      expect(shown(next)).toEqual([...STATUS, ['late', 'supplier-1', 'paid']]);
      // The journal holds the end of the attempt, so nobody has to find out any more.
      expect(await shop.reconciliation.apply(next.proposals, BY)).toMatchObject({ settled: 1 });
      await place.pass(8 * HOUR);
      expect(shown(await closeWith([]))).toEqual([]);
    },
  );

  it('prove that a later attempt failed some minutes after it began', async () => {
    const first = await refusedOnce(2_000);
    const close = await closeWith([payoutRow(first + 400_000, { status: 'failed' })]);
    expect(shown(close)).toEqual([['proven', 'supplier-1', 'failed']]);
    expect(await shop.reconciliation.apply(close.proposals, BY)).toMatchObject({ settled: 1 });
  });

  it('prove no failure of a payment that was made after them', async () => {
    await paidOut(shop, 'supplier-1', '30000');
    expect(shown(await closeWith([payoutRow(now() - HOUR, { status: 'failed' })]))).toEqual(STATUS);
  });

  it('prove that a payment failed in the minute in which it was made', async () => {
    await paidOut(shop, 'supplier-1', '30000');
    const failed = payoutRow(now() - 55_000, { status: 'failed' });
    expect(shown(await closeWith([failed]))).toEqual([['proven', 'supplier-1', 'failed']]);
  });

  it('say that a payment failed, once', async () => {
    await paidOut(shop, 'supplier-1', '30000');
    const failed = payoutRow(now() + HOUR, { status: 'failed' });
    expect(shown(await closeWith([failed, failed]))).toEqual([['proven', 'supplier-1', 'failed']]);
  });

  it('are looked at by a person if amount and time alone fit', async () => {
    await paidOut(shop, 'supplier-1', '30000');
    await place.sandbox.payout('supplier-1').pay();
    const close = await closeWith([payoutRow(now() + HOUR, { reference: '' })]);
    expect(shown(close)).toEqual([['proven', 'supplier-1', 'paid']]);
    expect(close.exceptions[0]?.reason).toContain('amount and time fit this payment alone');
  });

  it('belong to no payment with another reference, nor to any if they failed', async () => {
    await paidOut(shop, 'supplier-1', '30000');
    const rows = [
      payoutRow(now() + HOUR, { reference: 'somebody-else' }),
      payoutRow(now() + HOUR, { reference: '', status: 'failed' }),
    ];
    const close = await closeWith(rows, true);
    expect(shown(close)).toEqual([
      ['missing-here', 'somebody-else', undefined],
      ['missing-here', undefined, undefined],
    ]);
  });

  it('belong to a day without payments of a longer statement', async () => {
    const week = [payoutRow(now() - 2 * DAY), payoutRow(now() + 2 * DAY)];
    const close = await closeWith(week);
    expect(close.summary.statement).toMatchObject({ rows: 2, otherDays: 2, matched: 0 });
    const later = [payoutRow(now() + 2 * DAY), payoutRow(now() + 3 * DAY)];
    await expect(closeWith(later)).rejects.toThrow('no row is of');
  });
});

describe('payments that a close must look at again', () => {
  let shop: ReconciliationApp;

  const closeToday = async (isShown: 'shown' | 'hidden' | 'no statement'): Promise<DayClose> => {
    const day = place.today();
    await place.nextDay(0);
    await shop.reconciliation.readBalance();
    const statement =
      isShown === 'no statement'
        ? undefined
        : place.statement(day, (csv) => (isShown === 'shown' ? csv : `${csv.split('\n')[0]}\n`));
    return shop.reconciliation.close({ day, ...(statement && { statement }), ...BY });
  };
  const refusedOnce = async (): Promise<void> => {
    place.sandbox.next('POST /disbursements/bank').status(402, { code: 'INSUFFICIENT_BALANCE' });
    await expect(paidOut(shop, 'supplier-1', '30000')).rejects.toThrow();
  };

  beforeEach(async () => {
    await place.nextDay(8);
    shop = await place.startWithWebhooks({ policy: { mostExceptions: 2 } });
    await closeToday('shown');
    await place.pass(8 * HOUR);
  });

  it.each(['shown', 'no statement'] as const)(
    'are those that were refused and made again on a later day, %s',
    async (isShown) => {
      await refusedOnce();
      expect(shown(await closeToday(isShown))).toEqual([]);
      await place.pass(8 * HOUR);
      await paidOut(shop, 'supplier-1', '30000');
      await place.sandbox.payout('supplier-1').pay();
      const close = await closeToday(isShown);
      expect(shown(close)).toEqual(isShown === 'shown' ? [['supplier-1', 'paid']] : []);
      expect(close.summary.payouts).toMatchObject({ count: 1, amount: '30000.00' });
      expect(close.summary.balance).toMatchObject({ difference: '0.00' });
    },
  );

  it('are those whose second attempt was lost', async () => {
    await refusedOnce();
    await closeToday('shown');
    await place.pass(8 * HOUR);
    place.sandbox.next('POST /disbursements/bank').dropBefore();
    await expect(paidOut(shop, 'supplier-1', '30000')).rejects.toThrow();
    expect(shown(await closeToday('shown'))).toEqual([['unknown', 'supplier-1', undefined]]);
  });

  it('are those that were made again after the end of the day, before it was closed', async () => {
    await refusedOnce();
    const day = place.today();
    await place.nextDay(0);
    await shop.reconciliation.readBalance();
    await place.pass(8 * HOUR);
    await paidOut(shop, 'supplier-1', '30000');
    const first = await shop.reconciliation.close({ day, statement: place.statement(day), ...BY });
    expect(first.summary.payouts).toMatchObject({ count: 0 });
    await place.sandbox.payout('supplier-1').pay();
    const second = await closeToday('shown');
    expect(shown(second)).toEqual([['supplier-1', 'paid']]);
    expect(second.summary).toMatchObject({ payouts: { count: 1 }, balance: { difference: '0.00' } });
  });

  it('are those that were made again and moved between the end of the day and the reading of its balance', async () => {
    await refusedOnce();
    const day = place.today();
    await place.nextDay(0);
    await paidOut(shop, 'supplier-1', '30000');
    await place.sandbox.payout('supplier-1').pay();
    await shop.journal.settle('disbursement', 'supplier-1', 'paid');
    await place.pass(HOUR);
    await shop.reconciliation.close({ day, ...BY });
    expect((await closeToday('no statement')).summary.payouts).toMatchObject({ count: 1 });
  });

  it('are those that a statement should have shown, though a day was closed without one', async () => {
    await asked(shop, 'order-1', '50000');
    await place.sandbox.customer('255712345678').approve('order-1');
    await place.pass(2 * HOUR);
    expect(shown(await closeToday('hidden'))).toEqual([['missing-there', 'order-1', undefined]]);
    expect(shown(await closeToday('no statement'))).toEqual([['missing-there', 'order-1', undefined]]);
    expect(shown(await closeToday('hidden'))).toEqual([['missing-there', 'order-1', undefined]]);
  });

  it('are those that a statement has shown, until somebody applies that', async () => {
    await paidOut(shop, 'supplier-1', '30000');
    await place.sandbox.payout('supplier-1').pay();
    const first = await closeToday('shown');
    expect(shown(first)).toEqual([['supplier-1', 'paid']]);
    expect(shown(await closeToday('no statement'))).toEqual([['supplier-1', 'paid']]);
    const third = await closeToday('shown');
    expect(third.proposals).toMatchObject([
      { reference: 'supplier-1', day: third.summary.day, statement: `${first.summary.day}.csv`, row: 2 },
    ]);
    expect(third.summary).toMatchObject({ payouts: { count: 0 }, balance: { difference: '0.00' } });
    expect(await shop.reconciliation.apply(third.proposals, BY)).toEqual({ settled: 1, refused: [] });
    expect(shown(await closeToday('shown'))).toEqual([]);
  });

  it('are those that a later statement takes back before that', async () => {
    await paidOut(shop, 'supplier-1', '30000');
    await place.sandbox.payout('supplier-1').pay();
    await closeToday('shown');
    const day = place.today();
    await place.pass(HOUR);
    const failed = payoutRow(place.sandbox.clock.now(), { status: 'failed' });
    await place.nextDay(0);
    await shop.reconciliation.readBalance();
    const statement = place.statement(day, (csv) => csv + failed);
    const close = await shop.reconciliation.close({ day, statement, ...BY });
    expect(shown(close)).toEqual([['status', 'supplier-1', undefined]]);
  });

  it('are those of which an exception is open, though the journal has forgotten them', async () => {
    await asked(shop, 'order-1', '50000');
    await place.sandbox.customer('255712345678').approve('order-1');
    await place.pass(2 * HOUR);
    await closeToday('hidden');
    expect(await shop.journal.purge({ olderThanMs: HOUR })).toBe(1);
    expect(shown(await closeToday('hidden'))).toEqual([['missing-there', 'order-1', undefined]]);
  });

  it('are too many if the statement is not the one of the account', async () => {
    for (const reference of ['order-1', 'order-2', 'order-3']) {
      await asked(shop, reference, '50000');
      await place.sandbox.customer('255712345678').approve(reference);
    }
    await place.pass(2 * HOUR);
    await expect(closeToday('hidden')).rejects.toThrow(
      'more than 2 payments of the journal are not in it: is it the whole statement of this account and this day?',
    );
  });
});
