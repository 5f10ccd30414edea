import { beforeEach, describe, expect, it } from 'vitest';
import { csvStatement, type DayClose } from 'nestjs-payments/reconciliation';
import { reconciliationOfSpecs } from '../../support/reconciliation-of-specs.js';
import {
  asked,
  collected,
  HOUR,
  paidOut,
  type ReconciliationApp,
} from '../../support/reconciliation-place.js';

const BY = { by: 'accountant' };

describe('a statement of which no row finds its payment', () => {
  const place = reconciliationOfSpecs();
  let shop: ReconciliationApp;

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
  const row = (day: string, type: string, reference: string, amount: string, status = 'Success'): string =>
    `${day}T10:00:00Z,${type},${reference},,${amount}.00,5.00,,TZS,${status}\n`;
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

  beforeEach(async () => {
    await place.nextDay(8);
    shop = await place.startWithWebhooks();
  });

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

  it('closes nothing if the numbers of its rows name other payments, and closes with the right column', async () => {
    await collected(shop, place.sandbox, '2', '50000');
    await collected(shop, place.sandbox, '1', '20000');
    const day = await endDay();
    const [head, ...lines] = place.csv(day).trimEnd().split('\n');
    const stream = [`No,${head}`, ...lines.map((line, index) => `${index + 1},${line}`)].join('\n');
    const columns = { reference: 'No' };
    const close = (allowNoMatch: boolean): Promise<DayClose> =>
      shop.reconciliation.close({ day, statement: csvStatement({ stream, columns }), allowNoMatch, ...BY });
    await expect(close(false)).rejects.toMatchObject({
      errors: {
        statement: [
          `most of its payment rows of ${day} that name a payment (2 of 2) do not agree with it, and the journal has payments of that day with the amounts of rows that do not name them (2): check that it is the statement of this account, and name the column of your own reference, for example columns: { reference: 'the name in your file' }; if these references are right, write allowNoMatch: true`,
        ],
      },
    });
    expect(await written()).toEqual([]);
    expect((await closeWith(day)).summary).toMatchObject({ exceptions: {}, statement: { matched: 2 } });
    await expect(close(true)).rejects.toMatchObject({ code: 'DAY_CLOSED' });
  });

  it('closes nothing if accepted payouts are all that it should show', async () => {
    await paidOut(shop, 'supplier-1', '20000');
    const day = await endDay();
    await expect(closeWith(day, [row(day, 'Payout', '', '20000')])).rejects.toMatchObject(refusal(1, 1));
    expect(await written()).toEqual([]);
  });

  it('closes nothing if all webhooks of the day were lost', async () => {
    place.sandbox.deliverTo('http://127.0.0.1:9/nobody');
    await collected(shop, place.sandbox, 'order-1', '50000');
    const day = await endDay();
    const rows = [row(day, 'Collection', 'G-1', '50000'), row(day, 'Collection', 'G-2', '777')];
    await expect(closeWith(day, rows)).rejects.toMatchObject(refusal(2, 1));
    expect(await written()).toEqual([]);
  });

  it('closes nothing if its times are before the payments, as in another zone', async () => {
    await place.pass(15.5 * HOUR);
    await collected(shop, place.sandbox, 'order-1', '50000');
    const day = await endDay();
    await expect(closeWith(day, [row(day, 'Collection', 'G-1', '50000')])).rejects.toMatchObject(
      refusal(1, 1),
    );
    expect(await written()).toEqual([]);
  });

  it('closes the day when a person says that its rows are of others', async () => {
    await collected(shop, place.sandbox, 'order-1', '50000');
    const day = await endDay();
    const rows = ['1', '2'].map(() => row(day, 'Collection', 'somebody', '50000'));
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

  it.each<[string, () => Promise<void>, string, string]>([
    ['none of that direction', () => collected(shop, place.sandbox, 'order-1', '50000'), 'Payout', '50000'],
    ['none of that amount', () => collected(shop, place.sandbox, 'order-1', '50000'), 'Collection', '777'],
    [
      'one that its customer declined',
      async () => {
        await asked(shop, 'order-1', '50000');
        await place.sandbox.customer('255712345678').decline('order-1');
      },
      'Collection',
      '50000',
    ],
    ['a payout that has not arrived yet', () => paidOut(shop, 'supplier-1', '20000'), 'Payout', '777'],
    ['none', () => Promise.resolve(), 'Collection', '777'],
  ])('closes the day if the journal has %s', async (_, pay, type, amount) => {
    await pay();
    const day = await endDay();
    expect((await closeWith(day, [row(day, type, 'somebody', amount)])).summary).toMatchObject({
      exceptions: { 'missing-here': 1 },
    });
  });

  it('closes the day if loose matching is not sure which row without a reference is whose', async () => {
    await shop.app.close();
    shop = await place.startWithWebhooks({ policy: { looseMatching: { withinMs: 24 * HOUR } } });
    for (const order of ['order-1', 'order-2']) await collected(shop, place.sandbox, order, '50000');
    const day = await endDay();
    const rows = ['1', '2'].map(() => row(day, 'Collection', '', '50000'));
    expect((await closeWith(day, rows)).summary.exceptions).toEqual({
      'missing-here': 2,
      'missing-there': 2,
    });
  });

  it('closes the day if an older payout alone waits for its row', async () => {
    await paidOut(shop, 'supplier-1', '20000');
    const first = await endDay();
    await closeWith(first, []);
    const day = await endDay();
    expect((await closeWith(day, [row(day, 'Payout', 'somebody', '20000')])).summary).toMatchObject({
      exceptions: { 'missing-here': 1 },
    });
  });

  it('is another one if a row without a reference finds a payment', async () => {
    await collected(shop, place.sandbox, 'order-1', '50000');
    await paidOut(shop, 'supplier-1', '777');
    const day = await endDay();
    const foreign = row(day, 'Collection', 'somebody', '50000');
    await expect(closeWith(day, [foreign])).rejects.toMatchObject(refusal(1, 1));
    await shop.app.close();
    shop = await place.startWithWebhooks({ policy: { looseMatching: { withinMs: 24 * HOUR } } });
    await expect(closeWith(day, [foreign])).rejects.toMatchObject(refusal(1, 1));
    const { summary } = await closeWith(day, [foreign, row(day, 'Payout', '', '777')]);
    expect(summary.statement).toMatchObject({ matched: 1 });
  });

  it('is another one if it shows a payment of an earlier day once more', async () => {
    await collected(shop, place.sandbox, 'order-1', '50000');
    await closeWith(await endDay());
    await place.pass(8 * HOUR);
    await collected(shop, place.sandbox, 'order-2', '50000');
    const day = await endDay();
    const close = await closeWith(day, [row(day, 'Collection', 'order-1', '50000')]);
    expect(close.exceptions.map(({ kind }) => kind)).toEqual(['duplicate', 'missing-there']);
  });

  it('is another one if a row names a payment of the day, and proves nothing', async () => {
    await paidOut(shop, 'supplier-1', '20000');
    const day = await endDay();
    const early = row(day, 'Payout', 'supplier-1', '777', 'Failed').replace('T10', 'T00');
    const close = await closeWith(day, [early, row(day, 'Payout', 'somebody', '20000')]);
    expect(close.exceptions.map(({ kind }) => kind).sort()).toEqual(['missing-here', 'status']);
    expect(close.proposals).toEqual([]);
  });

  it.each([
    ['a fee', 'order-2', (day: string) => row(day, 'Fee', 'order-2', '5')],
    ['money that came back', 'order-1', (day: string) => row(day, 'Adjustment', 'order-1', '-50000')],
  ])('is another one if %s names a payment', async (_, __, named) => {
    await collected(shop, place.sandbox, 'order-1', '50000');
    await closeWith(await endDay());
    await place.pass(8 * HOUR);
    await collected(shop, place.sandbox, 'order-2', '50000');
    const day = await endDay();
    const close = await closeWith(day, [named(day), row(day, 'Collection', 'somebody', '50000')]);
    expect(close.summary.exceptions).toMatchObject({ 'missing-here': 1, 'missing-there': 1 });
  });

  it.each(['yes', 1, null])('says that allowNoMatch cannot be %j', async (allowNoMatch) => {
    const day = await endDay();
    const options = { day, allowNoMatch, ...BY } as never;
    await expect(shop.reconciliation.close(options)).rejects.toMatchObject({
      errors: { allowNoMatch: ['allowNoMatch must be true or false'] },
    });
  });
});
