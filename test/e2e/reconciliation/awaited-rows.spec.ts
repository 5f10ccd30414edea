import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { csvStatement, type DayClose } from 'nestjs-payments/reconciliation';
import {
  collected,
  HOUR,
  paidOut,
  type ReconciliationApp,
  type ReconciliationPlace,
  startReconciliationApp,
  startReconciliationPlace,
} from '../../support/reconciliation-place.js';

const BY = { by: 'accountant' };
const MINUTE = 60_000;

const shown = ({ exceptions, proposals }: DayClose): readonly unknown[] => [
  ...exceptions.map(({ kind, reference }) => [kind, reference]),
  ...proposals.map(({ reference, outcome }) => [reference, outcome]),
];

describe('a row that the statement of its day did not show', () => {
  let place: ReconciliationPlace;
  let shop: ReconciliationApp;
  /** Right before the end of the first day. */
  let at = 0;

  const row = (type: string, reference: string, time: number, status = 'Success'): string =>
    `${new Date(time).toISOString()},${type},${reference},${type === 'Payout' ? '30000.00' : '50000.00'},${status}\n`;
  const order = (): string => row('Collection', 'order-1', at + 1_000);
  const supplier = (status = 'Paid'): string => row('Payout', 'supplier-1', at + 2 * MINUTE, status);
  const today = (): string =>
    `${new Date(place.sandbox.clock.now()).toISOString()},Adjustment,,0.00,Success\n`;
  const closeWith = async (rows: readonly string[]): Promise<DayClose> => {
    const day = place.today();
    await place.nextDay(0);
    const statement = csvStatement({ stream: `Date,Type,Reference,Amount,Status\n${rows.join('')}` });
    const close = await shop.reconciliation.close({ day, statement, ...BY });
    await place.pass(8 * HOUR);
    return close;
  };

  beforeAll(async () => {
    place = await startReconciliationPlace();
  });
  beforeEach(async () => {
    await place.nextDay(8);
    shop = await startReconciliationApp(place, { policy: { outcomeWithinMs: 100 * HOUR } });
    place.sandbox.deliverTo(`${await shop.app.getUrl()}/webhooks/payments`);
    const day = place.today();
    await place.nextDay(0);
    await shop.reconciliation.close({ day, ...BY });
    await place.pass(24 * HOUR - 6 * MINUTE);
    at = place.sandbox.clock.now();
    await collected(shop, place.sandbox, 'order-1', '50000');
    await paidOut(shop, 'supplier-1', '30000');
  });
  afterEach(async () => {
    await shop.app.close();
    await place.sandbox.reset();
    await place.database.clear();
  });
  afterAll(() => place.close());

  it('ends what was expected on a later statement, and the balance holds it once', async () => {
    await place.sandbox.payout('supplier-1').pay();
    const first = await closeWith([]);
    expect(first.summary).toMatchObject({ expected: 2, balance: { difference: '0.00' } });
    const second = await closeWith([order(), supplier(), row('Payout', 'other', at - HOUR), today()]);
    expect(shown(second)).toEqual([['supplier-1', 'paid']]);
    expect(second.summary.statement).toMatchObject({ rows: 4, matched: 2, otherDays: 1 });
    expect(second.summary.balance).toMatchObject({ least: '0.00', most: '0.00', difference: '0.00' });
    expect(await shop.reconciliation.apply(second.proposals, BY)).toEqual({ settled: 1, refused: [] });
    expect(shown(await closeWith([]))).toEqual([]);
  });

  it('proves that a payout failed', async () => {
    await closeWith([]);
    expect((await closeWith([order(), supplier('Failed'), today()])).proposals).toMatchObject([
      { reference: 'supplier-1', outcome: 'failed' },
    ]);
  });

  it('is taken once, however often a statement of many days is read', async () => {
    await place.sandbox.payout('supplier-1').pay();
    const month = [order(), supplier(), row('Payout', 'supplier-1', at - HOUR, 'Failed')];
    expect(shown(await closeWith(month))).toEqual([['supplier-1', 'paid']]);
    const next = await closeWith([...month, today()]);
    expect(next.proposals).toHaveLength(1);
    expect(next.summary.statement).toMatchObject({ matched: 0, otherDays: 3 });
  });

  it('is not one from before the payment was made', async () => {
    await closeWith([]);
    const before = [row('Payout', 'supplier-1', at - HOUR), row('Payout', 'supplier-1', at - HOUR, 'Failed')];
    expect((await closeWith([...before, order(), today()])).proposals).toEqual([]);
  });
});
