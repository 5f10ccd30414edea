import { beforeEach, describe, expect, it } from 'vitest';
import { csvStatement, type CsvStatementOptions, type DayClose } from 'nestjs-payments/reconciliation';
import { reconciliationOfSpecs } from '../../support/reconciliation-of-specs.js';
import { collected, HOUR, paidOut, type ReconciliationApp } from '../../support/reconciliation-place.js';

const BY = { by: 'accountant' };
const PAYOUTS = 'POST /disbursements/bank';
const KINDS = { Deposit: 'collection', Withdrawal: 'payout', Reversal: 'other', Fee: 'fee' } as const;
/** The same file with words, and with the sign alone. */
const FILES = [
  ['of its own kind', { signed: true, kinds: KINDS }],
  ['by its sign alone', { signed: true, columns: { kind: false } }],
] as const satisfies readonly (readonly [string, Partial<CsvStatementOptions>])[];

const shown = ({ exceptions, proposals }: DayClose): readonly unknown[] => [
  ...exceptions
    .filter(({ kind }) => kind !== 'balance')
    .map(({ kind, reference, proposal }) => [kind, reference, proposal?.outcome]),
  ...proposals
    .filter(({ exception }) => exception === undefined)
    .map(({ reference, outcome }) => [reference, outcome]),
];

describe('a row of money that came back', () => {
  const place = reconciliationOfSpecs();
  let shop: ReconciliationApp;

  const now = (): number => place.sandbox.clock.now();
  const row = (
    type: keyof typeof KINDS,
    amount: string,
    at = now() + HOUR,
    reference = 'supplier-1',
  ): string => `${new Date(at).toISOString()},${type},${reference},${amount}\n`;
  /** Closes the day with these rows, and continues to the next morning. */
  const closeWith = async (
    rows: readonly string[],
    how: Partial<CsvStatementOptions> = { signed: true, kinds: KINDS },
  ): Promise<DayClose> => {
    const day = place.today();
    await place.nextDay(0);
    const stream = `Date,Type,Reference,Amount\n${rows.join('')}`;
    const statement = csvStatement({ stream, name: `${day}.csv`, ...how });
    const close = await shop.reconciliation.close({ day, statement, ...BY });
    await place.pass(8 * HOUR);
    return close;
  };
  const state = async (): Promise<string | undefined> => {
    const entry = await shop.journal.get('disbursement', 'supplier-1');
    return entry?.outcome ?? entry?.state;
  };
  const withdrawn = (): string => row('Withdrawal', '-30000.00');
  const reversed = (hours = 2): string => row('Reversal', '30500.00', now() + hours * HOUR);

  beforeEach(async () => {
    await place.nextDay(8);
    shop = await place.startWithWebhooks();
    const day = place.today();
    await place.nextDay(0);
    await shop.reconciliation.close({ day, ...BY });
    await place.pass(8 * HOUR);
  });

  describe.each(FILES)('%s', (_, how) => {
    it('takes back that the payout arrived, until somebody says how it ended', async () => {
      await paidOut(shop, 'supplier-1', '30000');
      const close = await closeWith([withdrawn(), reversed()], how);
      expect(shown(close)).toEqual([['status', 'supplier-1', undefined]]);
      expect(close.exceptions.find(({ kind }) => kind === 'status')?.reason).toBe(
        'The journal says accepted, and the statement says that 30500.00 TZS came back (row 3). ' +
          'Ask the gateway how it ended: nothing of it is proposed.',
      );
      // The row of another day decides nothing, either.
      expect((await closeWith([withdrawn()], how)).proposals).toEqual([]);
      await shop.journal.settle('disbursement', 'supplier-1', 'failed');
      expect(shown(await closeWith([], how)).flat()).not.toContain('status');
    });

    it('takes it back on a later day, too, and what was proposed before is refused', async () => {
      await paidOut(shop, 'supplier-1', '30000');
      const first = await closeWith([withdrawn()], how);
      expect(shown(first)).toEqual([['supplier-1', 'paid']]);
      expect(shown(await closeWith([reversed()], how))).toEqual([['status', 'supplier-1', undefined]]);
      expect(await shop.reconciliation.apply(first.proposals, BY)).toMatchObject({
        settled: 0,
        refused: [{ reason: expect.stringContaining('says the contrary') as string }],
      });
      expect(await state()).toBe('accepted');
    });

    it('says that a payout was not paid which the journal calls paid', async () => {
      await paidOut(shop, 'supplier-1', '30000');
      const first = await closeWith([withdrawn()], how);
      await shop.reconciliation.apply(first.proposals, BY);
      expect(shown(await closeWith([reversed()], how))).toEqual([['status', 'supplier-1', undefined]]);
      expect(await state()).toBe('paid');
    });

    it('says that money of a collection was taken back', async () => {
      await collected(shop, place.sandbox, 'order-1', '50000');
      const rows = [
        row('Deposit', '50000.00', now(), 'order-1'),
        row('Reversal', '-49000.00', now() + HOUR, 'order-1'),
      ];
      const { exceptions } = await closeWith(rows, how);
      const [found] = exceptions.filter(({ kind }) => kind !== 'balance');
      expect(found).toMatchObject({ kind: 'status', reference: 'order-1', proposal: undefined });
      expect(found?.reason).toContain('that 49000.00 TZS was taken back (row 3)');
    });
  });

  const PARTS = [
    [['12000.00', '12000.00', '6500.00'], '12000.00', 3],
    [['14000.00', '14000.00'], '14000.00', 3],
    [['14000.00', '16500.00'], '14000.00', 3],
    // The fee and 1.00 more.
    [['300.00', '201.00'], '201.00', 4],
  ] as const;

  it.each(PARTS)('in parts (%j) takes back that the payout arrived', async (parts, amount, line) => {
    await paidOut(shop, 'supplier-1', '30000');
    const close = await closeWith([withdrawn(), ...parts.map((part) => row('Reversal', part))]);
    expect(shown(close)).toEqual([['status', 'supplier-1', undefined]]);
    expect(close.exceptions.find(({ kind }) => kind === 'status')?.reason).toBe(
      `The journal says accepted, and the statement says that ${amount} TZS came back (row ${line}). ` +
        'That is a part of it: look for other rows that name it, and ask the gateway how it ended. ' +
        'Nothing of it is proposed.',
    );
    expect(await shop.reconciliation.apply(close.proposals, BY)).toMatchObject({ settled: 0 });
    expect(await state()).toBe('accepted');
  });

  it.each(PARTS)('in parts (%j) by its sign alone proposes nothing', async (parts) => {
    await paidOut(shop, 'supplier-1', '30000');
    const rows = parts.map((part) => row('Reversal', part));
    const close = await closeWith([...rows, withdrawn()], FILES[1][1]);
    // As long as no more than the fee came back, the row may be a payment that nobody knows.
    const first = Number(parts[0]) <= 500 ? [['missing-here', 'supplier-1', undefined]] : [];
    expect(shown(close)).toEqual([...first, ['status', 'supplier-1', undefined]]);
    expect(close.proposals).toEqual([]);
  });

  it('in parts of several days withdraws what was proposed before', async () => {
    await paidOut(shop, 'supplier-1', '30000');
    const first = await closeWith([withdrawn(), row('Reversal', '500.00')]);
    expect(shown(first)).toEqual([['supplier-1', 'paid']]);
    const second = await closeWith([row('Reversal', '12000.00')]);
    expect(shown(second)).toEqual([['status', 'supplier-1', undefined]]);
    expect(await shop.reconciliation.apply(first.proposals, BY)).toMatchObject({ settled: 0 });
    const third = await closeWith([row('Reversal', '17999.00')]);
    expect(shown(third)).toEqual([
      ['status', 'supplier-1', undefined],
      ['status', 'supplier-1', undefined],
    ]);
    expect(third.proposals).toEqual([]);
    await shop.journal.settle('disbursement', 'supplier-1', 'failed');
    expect(shown(await closeWith([row('Reversal', '1.00')]))).toEqual([]);
  });

  it('in parts of several days is said of a payout which the journal calls paid', async () => {
    await paidOut(shop, 'supplier-1', '30000');
    const first = await closeWith([withdrawn()]);
    await shop.reconciliation.apply(first.proposals, BY);
    expect(shown(await closeWith([row('Reversal', '12000.00')]))).toEqual([
      ['status', 'supplier-1', undefined],
    ]);
    expect(await state()).toBe('paid');
  });

  it('in parts of a collection is said, too', async () => {
    await collected(shop, place.sandbox, 'order-1', '50000');
    const deposit = row('Deposit', '50000.00', now(), 'order-1');
    const parts = Array.from({ length: 12 }, (_, hours) =>
      row('Reversal', '-4000.00', now() + hours * HOUR, 'order-1'),
    );
    expect(shown(await closeWith([deposit, ...parts]))).toEqual([['status', 'order-1', undefined]]);
  });

  it('counts in the balance as other money', async () => {
    await paidOut(shop, 'supplier-1', '30000');
    const { summary } = await closeWith([withdrawn(), reversed()]);
    expect(summary.statement).toMatchObject({ matched: 1, other: '30500.00' });
    expect(summary.balance).toMatchObject({ out: '30000.00', fees: '500.00', other: '30500.00' });
    expect(summary.balance).toMatchObject({ least: '0.00', most: '0.00', difference: '0.00' });
  });

  it('agrees with a journal that calls the payout failed', async () => {
    await paidOut(shop, 'supplier-1', '30000');
    const first = await closeWith([withdrawn()]);
    await shop.journal.settle('disbursement', 'supplier-1', 'failed');
    expect(first.proposals).toHaveLength(1);
    expect(shown(await closeWith([reversed()]))).toEqual([]);
  });

  it('takes back that a payout arrived which the journal calls refused', async () => {
    place.sandbox.next(PAYOUTS).status(402, { code: 'INSUFFICIENT_BALANCE' });
    await expect(paidOut(shop, 'supplier-1', '30000')).rejects.toThrow();
    const close = await closeWith([withdrawn(), reversed()]);
    expect(close.exceptions.map(({ kind }) => kind)).toContain('status');
    expect(close.proposals).toEqual([]);
    expect(await state()).toBe('rejected');
  });

  it('of an earlier attempt says nothing of the last one', async () => {
    place.sandbox.next(PAYOUTS).status(402, { code: 'INSUFFICIENT_BALANCE' });
    await expect(paidOut(shop, 'supplier-1', '30000')).rejects.toThrow();
    const back = row('Reversal', '30500.00', now());
    await place.pass(HOUR);
    await paidOut(shop, 'supplier-1', '30000');
    expect(shown(await closeWith([back, withdrawn()]))).toEqual([['supplier-1', 'paid']]);
  });

  it('is no levy on a collection, no charge or given back fee of a payout, and no fee', async () => {
    await collected(shop, place.sandbox, 'order-1', '50000');
    await paidOut(shop, 'supplier-1', '30000');
    const rows = [
      row('Deposit', '50000.00', now(), 'order-1'),
      row('Reversal', '-900.00', now(), 'order-1'),
      withdrawn(),
      row('Reversal', '-300.00', now()),
      row('Reversal', '500.00', now()),
      row('Fee', '-30000.00', now(), 'order-1'),
    ];
    expect(shown(await closeWith(rows))).toEqual([['supplier-1', 'paid']]);
  });

  it('without its minus is said of a collection, in a file that has no signs', async () => {
    await collected(shop, place.sandbox, 'order-1', '50000');
    await collected(shop, place.sandbox, 'order-2', '50000');
    const rows = [
      row('Deposit', '50000.00', now(), 'order-1'),
      row('Deposit', '50000.00', now(), 'order-2'),
      row('Reversal', '50000.00', now() + HOUR, 'order-1'),
      row('Reversal', '700.00', now() + HOUR, 'order-2'),
    ];
    const close = await closeWith(rows, { kinds: KINDS });
    expect(shown(close)).toEqual([['status', 'order-1', undefined]]);
    expect(close.exceptions.find(({ kind }) => kind === 'status')?.reason).toBe(
      'The journal says success, and the statement says that 50000.00 TZS came in as money that is no payment ' +
        '(row 4). If it was taken back, the row lacks its minus: give such rows one in statements to come.',
    );
    // Nothing but a word ends it.
    expect(shown(await closeWith([]))).toEqual([['status', 'order-1', undefined]]);
  });

  it('of nobody is money that is no payment, and a payment of its own if its kind says so', async () => {
    const close = await closeWith([
      row('Reversal', '7.00', now() + HOUR, 'unknown'),
      row('Deposit', '8.00', now() + HOUR, 'stranger'),
    ]);
    expect(shown(close)).toEqual([['missing-here', 'stranger', undefined]]);
  });

  it('of a reference that both a collection and a payout have is the row of its own payment', async () => {
    await collected(shop, place.sandbox, 'supplier-1', '50000');
    await paidOut(shop, 'supplier-1', '30000');
    expect(shown(await closeWith([row('Deposit', '50000.00', now()), withdrawn()]))).toEqual([
      ['supplier-1', 'paid'],
    ]);
  });

  it('comes a second time as a payment that nobody knows', async () => {
    await paidOut(shop, 'supplier-1', '30000');
    const close = await closeWith([withdrawn(), reversed(2), reversed(3)], FILES[1][1]);
    expect(shown(close)).toEqual([
      ['missing-here', 'supplier-1', undefined],
      ['status', 'supplier-1', undefined],
    ]);
  });
});
