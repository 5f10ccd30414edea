import { beforeEach, describe, expect, it, vi } from 'vitest';
import { type CloseException, type DayClose } from 'nestjs-payments/reconciliation';
import { controlOf } from '../../support/control-caller.js';
import { reconciliationOfSpecs } from '../../support/reconciliation-of-specs.js';
import { collected, HOUR, paidOut, type ReconciliationApp } from '../../support/reconciliation-place.js';

const BY = { by: 'accountant' };

type Csv = (csv: string) => string;

/** Changes the line of a reference. */
const lineOf =
  (reference: string, change: (line: string) => string | readonly string[]): Csv =>
  (csv) =>
    csv
      .split('\n')
      .flatMap((line) => (line.includes(`,${reference},`) ? change(line) : line))
      .join('\n');

/** What differs, without words and times. */
const shown = ({ exceptions }: Pick<DayClose, 'exceptions'>): readonly unknown[] =>
  exceptions.map(({ kind, reference, proposal }) => [kind, reference, proposal?.outcome]);

describe('what differs', () => {
  const place = reconciliationOfSpecs();
  let shop: ReconciliationApp;

  const closeToday = async (change?: Csv): Promise<DayClose> => {
    const day = place.today();
    await place.nextDay(0);
    return shop.reconciliation.close({ day, statement: place.statement(day, change), ...BY });
  };

  beforeEach(async () => {
    await place.nextDay(8);
    shop = await place.startWithWebhooks({ policy: { looseMatching: { withinMs: HOUR } } });
    await closeToday((csv) => csv);
    await place.pass(9 * HOUR);
    await collected(shop, place.sandbox, 'order-1', '50000');
    await collected(shop, place.sandbox, 'order-2', '10000');
    await paidOut(shop, 'supplier-1', '20000');
    await place.sandbox.payout('supplier-1').pay();
    await place.pass(HOUR);
  });

  it.each<[string, Csv, readonly unknown[]]>([
    ['nothing', (csv) => csv, []],
    [
      'an amount',
      lineOf('order-1', (line) => line.replace('50000.00', '50001.00')),
      [['amount', 'order-1', undefined]],
    ],
    [
      'a fee',
      lineOf('order-1', (line) => line.replace('1000.00', '1001.00')),
      [['fee', 'order-1', undefined]],
    ],
    ['a row too many', lineOf('order-2', (line) => [line, line]), [['duplicate', 'order-2', undefined]]],
    ['a row too few', lineOf('order-2', () => []), [['missing-there', 'order-2', undefined]]],
    [
      'a row of nobody',
      lineOf('order-2', (line) => [line, line.replace(',order-2,', ',order-9,')]),
      [['missing-here', 'order-9', undefined]],
    ],
    [
      'a row of nobody, twice',
      lineOf('order-2', (line) => [line, ...[1, 2].map(() => line.replace(',order-2,', ',order-9,'))]),
      [
        ['duplicate', 'order-9', undefined],
        ['missing-here', 'order-9', undefined],
      ],
    ],
    [
      'a row without a reference is found by its amount',
      lineOf('order-2', (line) => line.replace(',order-2,', ',,')),
      [],
    ],
    ['an accepted payout that the statement does not show is expected', lineOf('supplier-1', () => []), []],
  ])('is %s', async (_, change, exceptions) => {
    expect(shown(await closeToday(change))).toEqual(exceptions);
  });

  it('stays open until somebody explains it, and is one exception however often days are closed', async () => {
    const first = await closeToday(lineOf('order-2', () => []));
    const second = await closeToday();
    expect(shown(second)).toEqual([['missing-there', 'order-2', undefined]]);
    const [exception] = second.exceptions;
    expect(exception).toMatchObject({ id: first.exceptions[0]?.id, day: first.summary.day, state: 'open' });
    expect(exception?.ageMs).toBe((first.exceptions[0]?.ageMs ?? 0) + 24 * HOUR);
    const note = 'The gateway showed it on paper.';
    const explained = await shop.reconciliation.explain(exception?.id ?? '', { note, ...BY });
    expect(explained).toMatchObject({ state: 'explained', note: { by: 'accountant', text: note } });
    expect(shown(await closeToday())).toEqual([]);
    const all: CloseException[] = [];
    for await (const one of shop.reconciliation.exceptions({ state: 'explained' })) all.push(one);
    expect(all.map(({ id }) => id)).toEqual([exception?.id]);
    // As it was when the day was closed, with what became of it since.
    const again = await shop.reconciliation.open(second.summary.day);
    expect(again.exceptions).toMatchObject([{ state: 'explained', note: { text: note } }]);
  });

  it('is explained by its id, and nothing else is looked for', async () => {
    const get = vi.spyOn(place.storage.reconciliation!, 'get');
    for (const id of [undefined, null, 42, '', {}, 'nope'] as readonly string[])
      await expect(shop.reconciliation.explain(id, { note: 'It is known.', ...BY })).rejects.toMatchObject({
        code: 'EXCEPTION_NOT_FOUND',
        message: `There is no exception "${id}" of this account: take the id from exceptions().`,
      });
    const asked = get.mock.calls.filter(([, kind]) => kind === 'exception').map(([, , id]) => id);
    get.mockRestore();
    expect(asked).toEqual(['', '', '', '', '', 'nope']);
  });

  it('ends when a later statement shows the payment', async () => {
    let line = '';
    await closeToday(lineOf('order-2', (found) => ((line = found), [])));
    const today = new Date(place.sandbox.clock.now()).toISOString();
    const close = await closeToday((csv) => `${csv.trimEnd()}\n${line.replace(/^[^,]*/, today)}\n`);
    expect(shown(close)).toEqual([]);
    const settled: string[] = [];
    for await (const { kind } of shop.reconciliation.exceptions({ state: 'settled' })) settled.push(kind);
    expect(settled).toEqual(['missing-there']);
  });

  it('is a payment whose answer was lost, and which the statement proves', async () => {
    place.sandbox.next('POST /disbursements/bank').dropAfterProcessing();
    await expect(paidOut(shop, 'supplier-2', '30000')).rejects.toThrow();
    await place.sandbox.payout('supplier-2').pay();
    const close = await closeToday();
    expect(shown(close)).toEqual([['proven', 'supplier-2', 'paid']]);
    expect(close.summary.balance).toMatchObject({ out: '50000.00', difference: '0.00' });
    const { proposals } = close;
    const own = proposals.filter(({ reference }) => reference === 'supplier-2');
    expect(await shop.reconciliation.apply(own, BY)).toEqual({ settled: 1, refused: [] });
    expect(await shop.journal.get('disbursement', 'supplier-2')).toMatchObject({ outcome: 'paid' });
    expect(shown(await closeToday())).toEqual([]);
  });

  it('is a payment whose answer was lost and that nothing proves, until somebody settles it', async () => {
    place.sandbox.next('POST /disbursements/bank').dropAfterProcessing();
    await expect(paidOut(shop, 'supplier-2', '30000')).rejects.toThrow();
    await place.pass(HOUR);
    expect(shown(await closeToday())).toEqual([['unknown', 'supplier-2', undefined]]);
    await shop.journal.settle('disbursement', 'supplier-2', 'failed');
    expect(shown(await closeToday())).toEqual([]);
  });

  it('is a payout that no statement ever showed', async () => {
    await paidOut(shop, 'supplier-2', '30000');
    expect(shown(await closeToday())).toEqual([]);
    expect(shown(await closeToday())).toEqual([['unproven', 'supplier-2', undefined]]);
    await place.sandbox.payout('supplier-2').pay();
    const close = await closeToday();
    expect(shown(close)).toEqual([['late', 'supplier-2', 'paid']]);
    expect(await shop.reconciliation.apply(close.proposals, BY)).toMatchObject({ refused: [] });
    expect(shown(await closeToday())).toEqual([]);
  });

  it('is money that nothing explains', async () => {
    await closeToday();
    await place.pass(9 * HOUR);
    await controlOf(place.sandbox).put('/balance', { available: '90000000' });
    const close = await closeToday((csv) => csv.replace(/^.*,,.*\n/m, ''));
    expect(shown(close)).toEqual([['balance', undefined, undefined]]);
    expect(shown(await closeToday())).toEqual([['balance', undefined, undefined]]);
  });

  it('is no money of which the statement says that it is no payment', async () => {
    await closeToday();
    await place.pass(9 * HOUR);
    await controlOf(place.sandbox).put('/balance', { available: '90000000' });
    const close = await closeToday();
    expect(shown(close)).toEqual([]);
    expect(close.summary).toMatchObject({
      statement: { other: close.summary.balance?.other },
      balance: { difference: '0.00' },
    });
    expect(Number(close.summary.balance?.other)).toBeLessThan(-9_000_000);
  });
});
