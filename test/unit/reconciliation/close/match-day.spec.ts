import { describe, expect, it } from 'vitest';
import { matchDay } from '../../../../lib/reconciliation/close/match-day.js';
import { journalPayment } from '../../../../lib/reconciliation/matching/journal-payment.js';
import { JournalPayments } from '../../../../lib/reconciliation/matching/journal-payments.js';
import { StatementDays } from '../../../../lib/reconciliation/matching/statement-days.js';
import { type StatementRow } from '../../../../lib/reconciliation/statement/statement-row.js';
import { type JournalStore, type StoredJournalRecord } from '../../../../lib/storage/journal-store.js';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const FROM = 100 * DAY;
const TO = FROM + DAY;
/** Each day since then was closed with a statement. */
const SINCE = FROM - 5 * DAY;

/** Words of a payment. Without one it moved on the day. */
const STATES: Readonly<Record<string, object>> = {
  accepted: { state: 'accepted' },
  refused: { state: 'rejected' },
  damaged: { state: 'settled', outcome: 'success', amount: 'unreadable' },
};
const BEGUN: Readonly<Record<string, number>> = {
  /** It was closed, and had its row. */
  yesterday: FROM - 12 * HOUR,
  /** No day was closed with a statement then. */
  ancient: SINCE - DAY,
  /** It waits for its row. */
  waiting: FROM - 11 * HOUR,
  late: FROM + 20 * HOUR,
};
const KINDS: Readonly<Record<string, StatementRow['kind']>> = {
  in: 'collection',
  out: 'payout',
  fee: 'fee',
  other: 'other',
};

interface Payment {
  readonly stored: StoredJournalRecord;
  readonly words: readonly string[];
}

/** `out supplier-1 500 accepted`: a payout of 500 that was accepted on the day. */
function paymentOf(text: string): Payment {
  const [kind, reference, amount = '', ...words] = text.split(' ');
  const begun = words.map((word) => BEGUN[word]).find((time) => time !== undefined) ?? FROM + 8 * HOUR;
  const family = kind === 'in' ? 'collection' : 'disbursement';
  const ended = { state: 'settled', outcome: kind === 'in' ? 'success' : 'paid' };
  const state = words.map((word) => STATES[word]).find((one) => one !== undefined) ?? ended;
  const record = { family, reference, amount: `${amount}.00`, attempt: 1, ...state };
  const times = { createdAt: begun, updatedAt: begun, idleMs: 0, ageMs: 0 };
  return { stored: { record, ...times } as unknown as StoredJournalRecord, words };
}

/** `in order-1 500`: a collection of 500 at noon. A dash is no reference. */
function rowOf(text: string, index: number): StatementRow {
  const [kind = '', reference, amount = '', ...words] = text.split(' ');
  return {
    row: index + 2,
    kind: KINDS[kind] ?? 'other',
    reference: reference === '-' ? undefined : reference,
    amount: `${amount}.00`,
    fee: undefined,
    at: new Date(FROM + 12 * HOUR),
    recipient: undefined,
    isFailed: words.includes('failed'),
  };
}

interface File {
  readonly journal: readonly string[];
  readonly rows: readonly string[];
  readonly loose?: true;
  readonly allowNoMatch?: boolean;
}

/** Why a day cannot be closed with a file; undefined if it can. */
async function refusalOf({ journal, rows, loose, allowNoMatch = false }: File): Promise<string | undefined> {
  const all = journal.map(paymentOf);
  const payments = new JournalPayments();
  for (const { stored, words } of all)
    if (!['yesterday', 'ancient', 'forgotten'].some((word) => words.includes(word)))
      payments.add(journalPayment(stored));
  const known = ({ family, reference }: { readonly family: string; readonly reference: string }) =>
    all.find(({ stored: { record } }) => record.family === family && record.reference === reference);
  const store = {
    get: (key: Parameters<JournalStore['get']>[0]) => {
      const found = known(key);
      return Promise.resolve(found?.words.includes('forgotten') ? undefined : found?.stored);
    },
    tombstone: (key: Parameters<JournalStore['get']>[0]) =>
      Promise.resolve(known(key)?.words.includes('forgotten') ? {} : undefined),
  };
  const account = {
    journal: store as unknown as JournalStore,
    scope: { account: 'default', environment: 'sandbox' },
  } as const;
  const nothing = (): undefined => undefined;
  const listener = { matched: nothing, doubtful: nothing, takenBack: nothing, other: nothing };
  const statement = {
    name: 'a.csv',
    async *rows() {
      yield* await Promise.resolve(rows.map(rowOf));
    },
  };
  const statementDays = new StatementDays();
  statementDays.add({ from: SINCE, to: TO });
  const dayToMatch: Parameters<typeof matchDay>[0] = {
    account,
    place: {
      day: '2026-11-20',
      from: FROM,
      to: TO,
      previous: undefined,
    },
    journalDay: { payments, after: [], carried: new Map() },
    dayLimits: {
      cutOff: TO,
      hasStatement: true,
      statementLagMs: HOUR,
      outcomeWithinMs: DAY,
      payoutsEndWithinMs: Infinity,
    },
    statementDays,
    policy: { mostExceptions: 1_000, looseMatching: loose && { withinMs: DAY } },
    allowNoMatch,
  };
  try {
    await matchDay(dayToMatch, statement, listener, nothing);
    return undefined;
  } catch (error) {
    return (error as { readonly errors: { readonly statement: readonly string[] } }).errors.statement[0];
  }
}

/** Files whose column of references is the merchant's own. */
const RIGHT: readonly (readonly [string, File])[] = [
  [
    'of a usual day',
    {
      journal: ['in 1 500', 'in 2 700', 'out 3 900 accepted', 'in 4 500 accepted'],
      rows: ['in 1 500', 'in 2 700', 'out 3 900'],
    },
  ],
  [
    'of a day of which all webhooks were lost',
    {
      journal: ['in 1 500 accepted', 'in 2 700 accepted', 'in 3 500 accepted'],
      rows: ['in 1 500', 'in 2 700'],
    },
  ],
  ['with one payment whose amount differs', { journal: ['in 1 500'], rows: ['in 1 490'] }],
  [
    'with one payment that has the amount of another, which nobody has paid yet',
    { journal: ['in 1 500', 'in 2 490 accepted'], rows: ['in 1 490'] },
  ],
  [
    'in which every amount is less its fee',
    {
      journal: ['in 1 1000', 'in 2 1000', 'in 3 975'],
      rows: ['in 1 975', 'in 2 975', 'in 3 950'],
    },
  ],
  [
    'whose amounts the journal cannot read',
    { journal: ['in 1 500 damaged', 'in 2 700 damaged'], rows: ['in 1 500', 'in 2 700'] },
  ],
  [
    'with fees that name the payment, beside many payments of another application',
    {
      journal: ['in 1 500', 'in 2 700 accepted', 'in 3 700 accepted', 'in 4 700 accepted'],
      rows: ['in 1 500', 'fee 1 -5', 'fee 1 -1', 'in X-1 700', 'in X-2 700', 'in X-3 700', 'in X-4 700'],
    },
  ],
  [
    'in which a fee alone names the payment, and a row of another application has its amount',
    { journal: ['in 1 500'], rows: ['fee 1 -5', 'in X-1 500'] },
  ],
  [
    'with fees that look like payouts, because it has no kinds, beside many payments of another application',
    {
      journal: [
        'in 1 500',
        'in 2 700 accepted',
        'in 3 700 accepted',
        'in 4 700 accepted',
        'in 5 700 accepted',
      ],
      rows: ['in 1 500', 'out 1 5', 'out 1 1', 'in X-1 700', 'in X-2 700', 'in X-3 700', 'in X-4 700'],
    },
  ],
  [
    'with nothing but money that went back, less a fee',
    {
      journal: ['in 1 500 yesterday', 'in 2 700 yesterday', 'out 3 600 accepted', 'in 4 490 accepted'],
      rows: ['out 1 490', 'out 2 690'],
    },
  ],
  [
    'with nothing but late rows, while payments of the day have their amounts',
    {
      journal: ['out 1 500 waiting accepted', 'out 2 500 ancient accepted', 'out 3 500 accepted'],
      rows: ['out 1 500', 'out 2 500'],
    },
  ],
  [
    'with rows without a reference that find their payment loosely',
    {
      journal: ['in 1 500', 'in 2 700', 'in 3 900', 'in 4 900'],
      rows: ['in - 500', 'in - 700', 'in - 900', 'in - 900'],
      loose: true,
    },
  ],
  [
    'with one own row beside many of another application',
    {
      journal: ['in 1 500', 'in 2 700 accepted', 'in 3 700 accepted'],
      rows: ['in 1 500', 'in X-1 700', 'in X-2 700', 'in X-3 700'],
    },
  ],
  [
    'with two wrong amounts, and rows of another application',
    {
      journal: [
        'in 1 500',
        'in 2 700',
        'in 3 900',
        'in 4 100 accepted',
        'in 5 200 accepted',
        'in 6 300 accepted',
      ],
      rows: ['in 1 500', 'in 2 690', 'in 3 890', 'in X-1 100', 'in X-2 200', 'in X-3 300', 'in X-4 500'],
    },
  ],
  [
    'with two wrong amounts, and rows of another application, beside a row without a reference',
    {
      journal: [
        'in 1 500',
        'in 2 700',
        'in 3 900',
        'in 4 100 accepted',
        'in 5 200 accepted',
        'in 6 300 accepted',
      ],
      rows: ['in - 500', 'in 2 690', 'in 3 890', 'in X-1 100', 'in X-2 200', 'in X-3 300', 'in X-4 500'],
      loose: true,
    },
  ],
  [
    'with a row without a reference that finds its payment, beside one of another application',
    { journal: ['in 1 500', 'in 2 700 accepted'], rows: ['in - 500', 'in X-1 700'], loose: true },
  ],
  [
    'with rows without a reference that may be of several payments',
    { journal: ['in 1 500', 'in 2 500'], rows: ['in - 500', 'in - 500'], loose: true },
  ],
  [
    'with a row of another application that has the amount of an older payout alone',
    { journal: ['out 1 500 waiting accepted'], rows: ['out X-1 500'] },
  ],
  [
    'with nothing but payments of yesterday that failed after all, while others of their amount are open',
    {
      journal: ['in 1 500 yesterday', 'in 2 500 yesterday', 'in 3 500 accepted', 'in 4 500 accepted'],
      rows: ['in 1 500 failed', 'in 2 500 failed'],
    },
  ],
  [
    'with nothing but money that went back, while payouts of its amount are open',
    {
      journal: ['in 1 500 yesterday', 'in 2 700 yesterday', 'out 3 500 accepted', 'out 4 700 accepted'],
      rows: ['out 1 500', 'out 2 700'],
    },
  ],
  [
    'in which money that went back alone names its payment, beside a row of another application',
    { journal: ['in 1 500 yesterday', 'in 2 500'], rows: ['other 1 -500', 'in X-1 500'] },
  ],
  [
    'with two failed tries of a payment, while others of its amount are open',
    {
      journal: ['in 1 500', 'in 2 500 accepted', 'in 3 500 accepted'],
      rows: ['in 1 500', 'in 1 500 failed', 'in 1 500 failed'],
    },
  ],
  [
    'with one payment twice, while others of its amount are open',
    {
      journal: ['in 1 500', 'in 2 500 accepted', 'in 3 500 accepted'],
      rows: ['in 1 500', 'in 1 500'],
    },
  ],
  [
    'with a payment of yesterday once more, while one of its amount has no row',
    { journal: ['in 1 500 yesterday', 'in 2 500'], rows: ['in 1 500'] },
  ],
  [
    'that corrects a wrong amount under another reference',
    { journal: ['in 1 500'], rows: ['in 1 50', 'in X-1 500'] },
  ],
  [
    'that corrects wrong amounts under the same references',
    {
      journal: ['in 1 500', 'in 2 700', 'in 3 500 accepted', 'in 4 700 accepted'],
      rows: ['in 1 50', 'in 1 500', 'in 2 70', 'in 2 700'],
    },
  ],
  [
    'with a payment that the journal has forgotten, beside a row of another application',
    { journal: ['out 1 500 forgotten', 'in 2 700 accepted'], rows: ['out 1 500', 'in X-1 700'] },
  ],
  [
    'with rows of another application alone, of other amounts',
    { journal: ['in 1 500', 'in 2 700 refused'], rows: ['in X-1 490', 'out X-2 500', 'in X-3 700'] },
  ],
];

/** Files that were read with another column, such as the numbers of the rows, or the gateway's own ones. */
const WRONG: readonly (readonly [string, File])[] = [
  ['is empty', { journal: ['in 1001 500'], rows: ['in - 500'] }],
  ['names nobody', { journal: ['in 1001 500'], rows: ['in 1 500'] }],
  ['names nobody, at times before the payments began', { journal: ['in 1001 500 late'], rows: ['in 1 500'] }],
  [
    'names payments that had their rows',
    {
      journal: ['in 1 100 yesterday', 'in 2 200 yesterday', 'in 1001 500', 'in 1002 700'],
      rows: ['in 1 500', 'in 2 700'],
    },
  ],
  [
    'names payments that had their rows, and all amounts are the same',
    {
      journal: ['in 1 500 yesterday', 'in 2 500 yesterday', 'in 1001 500', 'in 1002 500'],
      rows: ['in 1 500', 'in 2 500'],
    },
  ],
  [
    'names payments before the first close',
    {
      journal: ['in 1 100 ancient', 'out 2 200 ancient', 'in 1001 500', 'out 1002 700 accepted'],
      rows: ['in 1 500', 'out 2 700'],
    },
  ],
  [
    'names other payments of the day',
    { journal: ['in 1 500', 'in 2 700', 'in 3 900'], rows: ['in 1 900', 'in 2 500', 'in 3 700'] },
  ],
  [
    'names other payments of the day, and some have the same amount',
    {
      journal: ['in 1 500', 'in 2 700', 'in 3 500', 'in 4 700', 'in 5 900'],
      rows: ['in 1 500', 'in 2 500', 'in 3 700', 'in 4 900', 'in 5 700'],
    },
  ],
  [
    'names other payments of the day, and all webhooks were lost',
    {
      journal: ['in 1 500 accepted', 'in 2 700 accepted', 'in 3 900 accepted'],
      rows: ['in 1 700', 'in 2 900'],
    },
  ],
  [
    'names one payment by accident',
    {
      journal: ['in 2 100 ancient', 'in 1001 500', 'in 1002 700', 'out 1003 900 accepted'],
      rows: ['in 1 500', 'in 2 700', 'out 3 900'],
    },
  ],
  [
    'names one payment by accident, with a row that fits no payment of the day',
    {
      journal: ['in 1 100 ancient', 'in 1000 300 waiting accepted', 'in 1001 500', 'in 1002 700'],
      rows: ['in 1 300', 'in 2 500', 'in 3 700'],
    },
  ],
  [
    'names one payment in every row',
    { journal: ['in 7 500', 'in 8 700', 'in 9 900'], rows: ['in 7 500', 'in 7 700', 'in 7 900'] },
  ],
  [
    'names one payment in every row, and all amounts are the same',
    {
      journal: ['in 7 500', 'in 8 500', 'in 9 500', 'in 10 500'],
      rows: ['in 7 500', 'in 7 500', 'in 7 500', 'in 7 500'],
    },
  ],
  [
    'names payments that the journal has forgotten',
    {
      journal: ['in 1 0 forgotten', 'in 2 0 forgotten', 'in 1001 500', 'in 1002 700'],
      rows: ['in 1 500', 'in 2 700'],
    },
  ],
  [
    'names payments of the other direction',
    {
      journal: ['out 1 100 yesterday', 'out 2 200 yesterday', 'in 1001 500', 'in 1002 700'],
      rows: ['in 1 500', 'in 2 700'],
    },
  ],
  [
    'names a payment with a fee alone',
    { journal: ['in 3 100', 'in 1001 500', 'in 1002 700'], rows: ['in 1 500', 'in 2 700', 'fee 3 -5'] },
  ],
  [
    'names a payment that came back alone',
    {
      journal: ['out 3 100 yesterday', 'in 1001 500', 'in 1002 700'],
      rows: ['in 1 500', 'in 2 700', 'other 3 100'],
    },
  ],
  [
    'names payments by accident, though rows without a reference may find theirs',
    {
      journal: ['in 1 100 yesterday', 'in 2 200 yesterday', 'in 1001 500', 'in 1002 700'],
      rows: ['in 1 500', 'in 2 700'],
      loose: true,
    },
  ],
];

/** Files that were read with another column, and nothing tells. */
const HIDDEN: readonly (readonly [string, File])[] = [
  [
    'names one payment of the same amount by accident',
    {
      journal: ['in 2 700 ancient', 'in 1001 500', 'in 1002 700', 'in 1003 900'],
      rows: ['in 1 500', 'in 2 700', 'in 3 900'],
    },
  ],
  ['has a single row', { journal: ['in 1 100 yesterday', 'in 1001 500'], rows: ['in 1 500'] }],
  [
    'names other payments of the day, and most have the same amount',
    {
      journal: ['in 1 500', 'in 2 500', 'in 3 500', 'in 4 700'],
      rows: ['in 1 500', 'in 2 500', 'in 3 700', 'in 4 500'],
    },
  ],
];

describe('the column of references', () => {
  it.each(RIGHT)('closes the day with a file %s', async (_, file) => {
    expect(await refusalOf(file)).toBeUndefined();
  });

  it.each(WRONG)('closes no day with a column that %s', async (_, file) => {
    expect(await refusalOf(file)).toMatch(/columns: \{ reference: .* \}; .*allowNoMatch: true$/);
    expect(await refusalOf({ ...file, allowNoMatch: true })).toBeUndefined();
  });

  it('is refused with the number of payments that the journal has forgotten, so that a day which is closed late can be told', async () => {
    const forgotten = {
      journal: ['in 1 0 forgotten', 'in 2 0 forgotten', 'in 1001 500', 'in 1002 700'],
      rows: ['in 1 500', 'in 2 700'],
    };
    expect(await refusalOf(forgotten)).toContain(
      '(2 of 2) do not agree with it, 2 because the journal has forgotten it, and',
    );
    const others = {
      ...forgotten,
      journal: forgotten.journal.map((one) => one.replace('forgotten', 'ancient')),
    };
    expect(await refusalOf(others)).toContain('(2 of 2) do not agree with it, and');
  });

  it.each([
    ["'1001", "'1002", true],
    ['1001.0', '1002.00', true],
    ['1001', "'1002", true],
    ['A-1.0', '1.1', false],
  ])(
    'is refused with the hint that a spreadsheet changed it, if it has %s and %s: %s',
    async (one, two, is) => {
      const file = { journal: ['in 1 500', 'in 2 700'], rows: [`in ${one} 500`, `in ${two} 700`] };
      const refusal = await refusalOf(file);
      expect(refusal?.includes('take the file as the gateway wrote it if a spreadsheet')).toBe(is);
      expect(refusal).toMatch(/allowNoMatch: true$/);
    },
  );

  it.each(HIDDEN)(
    'closes the day, because nothing tells that the column is wrong, if it %s',
    async (_, file) => {
      expect(await refusalOf(file)).toBeUndefined();
    },
  );
});
