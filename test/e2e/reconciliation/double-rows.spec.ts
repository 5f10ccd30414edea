import { beforeEach, describe, expect, it } from 'vitest';
import { type DayClose, type ReconciliationPolicy } from 'nestjs-payments/reconciliation';
import { reconciliationOfSpecs } from '../../support/reconciliation-of-specs.js';
import { HOUR, paidOut, type ReconciliationApp } from '../../support/reconciliation-place.js';

const BY = { by: 'accountant' };
const DAY = 24 * HOUR;
/** Without a statement of the day. */
const NONE = 'no statement';
const EMPTY = 'no row';
const ROW = 'a row';
const WRONG = 'a row of another amount';

type Shown = typeof EMPTY | typeof ROW | typeof WRONG;

/** The new exceptions, but what the emulator's balance says of rows that it did not write. */
const found = ({ exceptions, summary }: DayClose): readonly string[] =>
  exceptions.filter(({ kind, day }) => kind !== 'balance' && day === summary.day).map(({ kind }) => kind);

describe('a payment whose row comes again', () => {
  const place = reconciliationOfSpecs();
  let shop: ReconciliationApp;

  const row = (shown: Shown): string =>
    shown === EMPTY
      ? ''
      : `${new Date(place.sandbox.clock.now() + HOUR).toISOString()},Payout,supplier-1,,${shown === ROW ? '30000.00' : '29000.00'},500.00,0150000000999,TZS,paid\n`;
  /** Closes the day, and continues to the next morning. */
  const close = async (...shows: readonly (Shown | typeof NONE)[]): Promise<DayClose> => {
    const day = place.today();
    const hasStatement = !shows.includes(NONE);
    const rows = shows.map((one) => (one === NONE ? '' : row(one))).join('');
    await place.nextDay(0);
    const statement = place.statement(day, (csv) => `${csv.split('\n')[0]}\n${rows}`);
    const closed = await shop.reconciliation.close({ day, ...(hasStatement && { statement }), ...BY });
    await place.pass(8 * HOUR);
    return closed;
  };
  const pay = (): Promise<void> => paidOut(shop, 'supplier-1', '30000');
  const settle = async (): Promise<void> => {
    await shop.journal.settle('disbursement', 'supplier-1', 'paid');
  };
  const apply = async ({ proposals }: DayClose): Promise<void> => {
    expect(await shop.reconciliation.apply(proposals, BY)).toMatchObject({ settled: 1 });
  };
  const start = async (policy: ReconciliationPolicy = {}): Promise<void> => {
    shop = await place.start({ policy: { outcomeWithinMs: 10 * DAY, ...policy } });
    await close(NONE);
  };

  beforeEach(async () => {
    await place.nextDay(8);
  });

  it.each([
    ['applied at once', true],
    ['applied after that day', false],
  ])('is a duplicate after a day without a statement (%s)', async (_, isAtOnce) => {
    await start();
    await pay();
    const first = await close(ROW);
    if (isAtOnce) await apply(first);
    const between = await close(NONE);
    if (!isAtOnce) await apply(between);
    expect(found(await close(ROW))).toEqual(['duplicate']);
  });

  it.each([
    ['ended', settle],
    ['was accepted', () => Promise.resolve()],
  ])('is a duplicate, though it was made on a day without a statement, on which it %s', async (_, end) => {
    await start();
    await pay();
    await end();
    await close(NONE);
    const first = await close(ROW);
    expect(found(first)).toEqual([]);
    if (first.proposals.length > 0) await apply(first);
    expect(found(await close(ROW))).toEqual(['duplicate']);
    await close(NONE);
    await close(EMPTY);
    expect(found(await close(ROW))).toEqual(['duplicate']);
  });

  it.each([ROW, NONE] as const)(
    'is not looked for where its day tells (%s): the next close has nothing to read',
    async (shows) => {
      await start();
      await pay();
      await settle();
      await close(shows);
      const { rows } = await place.database.pool.query(
        "SELECT details FROM payments_reconciliation WHERE kind = 'carried'",
      );
      expect(rows).toEqual([]);
    },
  );

  it('is none if no statement has shown it, because there was none of the day on which it ended', async () => {
    await start();
    await pay();
    await close(EMPTY);
    await settle();
    expect(found(await close(NONE))).toEqual([]);
    // The statement that should have shown it is that of the day before, which nobody has given.
    expect(found(await close(EMPTY))).toEqual([]);
    await close(NONE);
    expect(found(await close(ROW))).toEqual([]);
    expect(found(await close(ROW))).toEqual(['duplicate']);
  });

  it('is none if no statement has shown it for longer than a payout may take', async () => {
    await start({ payoutsEndWithinMs: DAY });
    await pay();
    await close(EMPTY);
    await close(NONE);
    await close(NONE);
    const shown = await close(ROW);
    expect(found(shown)).toEqual([]);
    await apply(shown);
    expect(found(await close(ROW))).toEqual(['duplicate']);
  });

  it.each([[[ROW, WRONG]], [[WRONG, ROW]], [[WRONG, ROW, WRONG]]] as const)(
    'is that of the right amount, in whatever order its rows are: %j',
    async (rows) => {
      await start();
      await pay();
      const shown = await close(...rows);
      expect(found(shown)).toEqual(rows.slice(1).map(() => 'duplicate'));
      expect(shown.proposals).toMatchObject([{ outcome: 'paid', row: rows.indexOf(ROW) + 2 }]);
    },
  );

  it.each([[[ROW, WRONG]], [[WRONG, ROW]]] as const)(
    'is that of the right amount, though it is of a payment of another day: %j',
    async (rows) => {
      await start();
      await pay();
      await settle();
      await close(NONE);
      expect(found(await close(...rows))).toEqual(['duplicate']);
    },
  );
});
