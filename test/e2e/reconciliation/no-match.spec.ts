import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { csvStatement, type DayClose } from 'nestjs-payments/reconciliation';
import {
  asked,
  collected,
  HOUR,
  paidOut,
  type ReconciliationApp,
  type ReconciliationPlace,
  startReconciliationApp,
  startReconciliationPlace,
} from '../../support/reconciliation-place.js';

const BY = { by: 'accountant' };

describe('a statement of which no row finds a payment', () => {
  let place: ReconciliationPlace;
  let shop: ReconciliationApp;

  const open = async (options = {}): Promise<void> => {
    shop = await startReconciliationApp(place, options);
    place.sandbox.deliverTo(`${await shop.app.getUrl()}/webhooks/payments`);
  };
  /** Everything that reconciliation has written but readings and its lease. */
  const written = async (): Promise<readonly unknown[]> => {
    const { rows } = await place.database.pool.query<{ kind: string }>(
      "SELECT kind, id FROM payments_reconciliation WHERE kind NOT IN ('balance', 'run')",
    );
    return rows;
  };
  const endDay = async (): Promise<string> => {
    const day = place.today();
    await place.nextDay(0);
    return day;
  };
  const row = (day: string, type: string, reference: string, status = 'Success'): string =>
    `${day}T10:00:00Z,${type},${reference},,777.00,5.00,,TZS,${status}\n`;
  /** Closes a day with the emulator's rows of it, or with these. */
  const closeWith = (day: string, rows?: readonly string[], allowNoMatch?: boolean): Promise<DayClose> =>
    shop.reconciliation.close({
      day,
      statement: place.statement(day, (csv) => (rows ? `${csv.split('\n')[0]}\n${rows.join('')}` : csv)),
      ...(allowNoMatch !== undefined && { allowNoMatch }),
      ...BY,
    });
  const refusal = (rows: number, payments: number): object => ({
    name: 'PaymentsValidationError',
    errors: {
      statement: [
        expect.stringMatching(
          new RegExp(
            `^none of its payment rows of .* \\(${rows}\\) finds a payment, .* \\(${payments}\\): .*columns: .*allowNoMatch: true$`,
          ),
        ),
      ],
    },
  });

  beforeAll(async () => {
    place = await startReconciliationPlace();
  });
  beforeEach(async () => {
    await place.nextDay(8);
    await open();
  });
  afterEach(async () => {
    await shop.app.close();
    await place.sandbox.reset();
    await place.database.clear();
  });
  afterAll(() => place.close());

  it('closes nothing if it was read with the column of another reference, and closes with the right one', async () => {
    await collected(shop, place.sandbox, 'order-1', '50000');
    await paidOut(shop, 'supplier-1', '20000');
    await place.sandbox.payout('supplier-1').pay();
    const day = await endDay();
    const stream = place.csv(day);
    const columns = { reference: 'Provider Reference' };
    await expect(
      shop.reconciliation.close({ day, statement: csvStatement({ stream, columns }), ...BY }),
    ).rejects.toMatchObject(refusal(2, 2));
    expect(await written()).toEqual([]);
    expect(await shop.reconciliation.status()).toBeUndefined();
    const close = await closeWith(day);
    expect(close.summary.statement).toMatchObject({ matched: 2 });
    expect(close.exceptions).toEqual([]);
  });

  it('closes nothing if accepted payouts are all that it should show', async () => {
    await paidOut(shop, 'supplier-1', '20000');
    const day = await endDay();
    await expect(closeWith(day, [row(day, 'Payout', '')])).rejects.toMatchObject(refusal(1, 1));
    expect(await written()).toEqual([]);
  });

  it('closes the day when a person says that its rows are of others', async () => {
    await collected(shop, place.sandbox, 'order-1', '50000');
    const day = await endDay();
    const rows = [row(day, 'Collection', 'somebody-1'), row(day, 'Collection', 'somebody-1')];
    await expect(closeWith(day, rows, false)).rejects.toMatchObject(refusal(2, 1));
    const close = await closeWith(day, rows, true);
    expect(close.exceptions.map(({ kind }) => kind).sort()).toEqual([
      'duplicate',
      'missing-here',
      'missing-there',
    ]);
    // A day that is closed is not asked about again.
    expect((await closeWith(day, rows)).summary).toEqual(close.summary);
  });

  it.each<[string, () => Promise<void>, string]>([
    ['has none of that direction', () => collected(shop, place.sandbox, 'order-1', '50000'), 'Payout'],
    ['has one that nobody paid', () => asked(shop, 'order-1', '50000'), 'Collection'],
    ['has none', () => Promise.resolve(), 'Collection'],
  ])('closes the day if the journal %s', async (_, pay, type) => {
    await pay();
    const day = await endDay();
    expect((await closeWith(day, [row(day, type, 'somebody')])).summary).toMatchObject({
      exceptions: { 'missing-here': 1 },
    });
  });

  it('closes the day if its payment moved right before the end of it', async () => {
    await place.pass(15.5 * HOUR);
    await collected(shop, place.sandbox, 'order-1', '50000');
    const day = await endDay();
    expect((await closeWith(day, [row(day, 'Collection', 'somebody')])).summary).toMatchObject({
      expected: 1,
      exceptions: { 'missing-here': 1 },
    });
  });

  it('closes the day if an older payout alone waits for its row', async () => {
    await paidOut(shop, 'supplier-1', '20000');
    const first = await endDay();
    await closeWith(first, []);
    const day = await endDay();
    expect((await closeWith(day, [row(day, 'Payout', 'somebody')])).summary).toMatchObject({
      exceptions: { 'missing-here': 1 },
    });
  });

  it('is another one if a row without a reference finds a payment', async () => {
    await collected(shop, place.sandbox, 'order-1', '50000');
    await paidOut(shop, 'supplier-1', '777');
    const day = await endDay();
    const foreign = row(day, 'Collection', 'somebody');
    await expect(closeWith(day, [foreign])).rejects.toMatchObject(refusal(1, 1));
    await shop.app.close();
    await open({ policy: { looseMatching: { withinMs: 24 * HOUR } } });
    await expect(closeWith(day, [foreign])).rejects.toMatchObject(refusal(1, 1));
    const { summary } = await closeWith(day, [foreign, row(day, 'Payout', '')]);
    expect(summary.statement).toMatchObject({ matched: 1 });
  });

  it('is another one if it shows a payment of an earlier day once more', async () => {
    await collected(shop, place.sandbox, 'order-1', '50000');
    await closeWith(await endDay());
    await place.pass(8 * HOUR);
    await collected(shop, place.sandbox, 'order-2', '50000');
    const day = await endDay();
    const close = await closeWith(day, [row(day, 'Collection', 'order-1')]);
    expect(close.exceptions.map(({ kind }) => kind)).toEqual(['duplicate', 'missing-there']);
  });

  it('is another one if a row names a payment of the day, and proves nothing', async () => {
    await paidOut(shop, 'supplier-1', '20000');
    const day = await endDay();
    const early = row(day, 'Payout', 'supplier-1', 'Failed').replace('T10', 'T00');
    const close = await closeWith(day, [early, row(day, 'Payout', 'somebody')]);
    expect(close.exceptions.map(({ kind }) => kind).sort()).toEqual(['missing-here', 'status']);
    expect(close.proposals).toEqual([]);
  });

  it.each(['yes', 1, null])('says that allowNoMatch cannot be %j', async (allowNoMatch) => {
    const day = await endDay();
    const options = { day, allowNoMatch, ...BY } as never;
    await expect(shop.reconciliation.close(options)).rejects.toMatchObject({
      errors: { allowNoMatch: ['allowNoMatch must be true or false'] },
    });
  });
});
