import { describe, expect, it } from 'vitest';
import { type StatementMatch } from '../../../../lib/reconciliation/matching/match-statement.js';
import { JournalPayments } from '../../../../lib/reconciliation/matching/journal-payments.js';
import { type OtherMoney } from '../../../../lib/reconciliation/matching/row-money.js';
import { OpenRows } from '../../../../lib/reconciliation/matching/open-rows.js';
import { StatementDays } from '../../../../lib/reconciliation/matching/statement-days.js';
import { RowNames } from '../../../../lib/reconciliation/matching/row-names.js';
import {
  type JournalKey,
  type JournalStore,
  type StoredJournalRecord,
} from '../../../../lib/storage/journal-store.js';

const DAY = 86_400_000;
/** Two days with a statement, one without, and the day itself. */
const SINCE = 100 * DAY;
const UNTIL = 102 * DAY;
const FROM = 103 * DAY;
const TO = 104 * DAY;

const day = (): ConstructorParameters<typeof OpenRows>[2] => {
  const statementDays = new StatementDays();
  statementDays.add({ from: SINCE, to: UNTIL });
  statementDays.add({ from: FROM, to: TO });
  return { from: FROM, to: TO, statementDays };
};

const stored = (begunAt: number, outcome: string): StoredJournalRecord =>
  ({
    record: {
      family: 'collection',
      reference: 'order-1',
      amount: '10.00',
      state: 'settled',
      outcome,
      attempt: 1,
    },
    createdAt: SINCE - 50 * DAY,
    updatedAt: begunAt,
    idleMs: 0,
    ageMs: 0,
  }) as unknown as StoredJournalRecord;

/** What becomes of a row whose payment is none of the day's. */
async function fateOf(
  found: StoredJournalRecord | undefined,
  { isFailed = false, times = 1 } = {},
): Promise<readonly string[]> {
  const fate: string[] = [];
  const money = { row: 2, kind: 'collection', isFailed, cents: 1_000, feeCents: undefined, at: FROM };
  const match = {
    open: Array.from({ length: times }, () => ({
      given: { kind: 'collection', reference: 'order-1' },
      money,
    })),
    openReturns: [],
    others: { openFees: [] },
    names: new RowNames(new JournalPayments()),
    isOfLastAttempt: () => true,
    takeEarlierAttempt: () => false,
    match: () => void fate.push('matched'),
    doubt: ({ kind }: { readonly kind: string }) => void fate.push(kind),
  } as unknown as StatementMatch;
  const journal = {
    get: () => Promise.resolve(found),
    tombstone: () => Promise.resolve(undefined),
  } as unknown as JournalStore;
  const scope = { account: 'default', environment: 'sandbox' } as const;
  const rows = new OpenRows(match, { journal, scope }, day());
  await rows.find(() => undefined);
  return [...fate, ...rows.early.map(() => 'early'), ...rows.unknown.map(() => 'unknown')];
}

describe('a row that names no payment of the day', () => {
  it.each<[string, StoredJournalRecord | undefined, readonly string[]]>([
    ['is of nobody', undefined, ['unknown']],
    ['is of a payment before statements were read', stored(SINCE - 1, 'success'), ['matched']],
    ['comes again, if a statement has shown its payment', stored(SINCE, 'success'), ['duplicate']],
    ['comes again up to the last day with a statement', stored(UNTIL - 1, 'success'), ['duplicate']],
    ['is of a payment of a day without a statement', stored(UNTIL, 'success'), ['matched']],
    ['is of a payment that did not move before', stored(SINCE, 'failed'), ['matched']],
    ['is of an old payment that was made again on the day', stored(FROM, 'success'), ['matched']],
    ['is of a payment of the next day', stored(TO, 'success'), ['matched', 'early']],
  ])('%s', async (_, found, fate) => {
    expect(await fateOf(found)).toEqual(fate);
  });

  it('says once that its payment failed, however often it comes', async () => {
    const found = stored(SINCE - 1, 'success');
    expect(await fateOf(found, { isFailed: true, times: 3 })).toEqual(['matched']);
  });
});

/** Whether each fee may be that of a payment, and how many rows that are no payments name one of the journal. */
async function doubtOf(
  has: 'a record' | 'a tombstone' | 'nothing',
  ofFamily: string,
  references: readonly string[] = ['order-1'],
): Promise<{ readonly doubts: readonly boolean[]; readonly asides: number }> {
  const doubts: boolean[] = [];
  const match = {
    open: [{ given: { kind: 'payout', reference: 'stranger' }, money: { isFailed: false } }],
    openReturns: [],
    others: {
      openFees: references.map((reference) => ({ reference, money: { cents: -1 } as OtherMoney })),
      takeFee: (_: unknown, isOfPayment: boolean) => void doubts.push(isOfPayment),
    },
    names: new RowNames(new JournalPayments()),
    doubt: () => undefined,
  };
  const found = (what: string, { family, reference }: JournalKey): Promise<unknown> =>
    Promise.resolve(has === what && family === ofFamily && reference === 'order-1' ? {} : undefined);
  const journal = {
    get: (key: JournalKey) => found('a record', key),
    tombstone: (key: JournalKey) => found('a tombstone', key),
  } as unknown as JournalStore;
  const scope = { account: 'default', environment: 'sandbox' } as const;
  await new OpenRows(match as unknown as StatementMatch, { journal, scope }, day()).find(() => undefined);
  return { doubts, asides: match.names.asides };
}

describe('a fee with a reference', () => {
  it.each([
    ['a record', 'collection', true],
    ['a record', 'disbursement', true],
    ['a tombstone', 'collection', true],
    ['a tombstone', 'disbursement', true],
    ['nothing', 'collection', false],
  ] as const)('of which the journal has %s (%s) may be of a payment: %s', async (has, family, is) => {
    expect(await doubtOf(has, family)).toEqual({ doubts: [is], asides: Number(is) });
  });

  it('may be of a payment that the statement alone has', async () => {
    expect(await doubtOf('nothing', 'collection', ['other', 'stranger'])).toEqual({
      doubts: [false, true],
      asides: 0,
    });
  });

  it('may be made from that of a payment', async () => {
    expect(await doubtOf('a record', 'collection', ['order-1-FEE', 'order-10'])).toEqual({
      doubts: [true, false],
      asides: 0,
    });
    expect((await doubtOf('nothing', 'collection', ['stranger.FEE'])).doubts).toEqual([true]);
  });
});
