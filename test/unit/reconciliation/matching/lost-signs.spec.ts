import { describe, expect, it } from 'vitest';
import { type Finding } from '../../../../lib/reconciliation/matching/finding.js';
import { findLostSigns } from '../../../../lib/reconciliation/matching/lost-signs.js';
import { type StatementMatch } from '../../../../lib/reconciliation/matching/match-statement.js';
import { type OpenReturn } from '../../../../lib/reconciliation/matching/taken-back.js';
import {
  type JournalKey,
  type JournalStore,
  type StoredJournalRecord,
} from '../../../../lib/storage/journal-store.js';

const collection = (amount: string): StoredJournalRecord =>
  ({
    record: {
      family: 'collection',
      reference: 'order-1',
      amount,
      state: 'settled',
      outcome: 'success',
      attempt: 1,
      answer: JSON.stringify({ envelope: true, data: { fee: 100 } }),
    },
    createdAt: 0,
    updatedAt: 0,
  }) as unknown as StoredJournalRecord;

/** What is found of a row that brings in money under the reference of a collection. */
async function foundOf(
  cents: number,
  has: { readonly amount?: string; readonly payout?: 'stored' | 'forgotten' },
  row: { readonly kind?: 'other' | 'collection'; readonly family?: OpenReturn['family'] } = {},
): Promise<readonly Finding[]> {
  const found: Finding[] = [];
  const { kind = 'other', family = 'disbursement' } = row;
  const money = { row: 3, kind, isFailed: false, cents, feeCents: undefined, at: 0 };
  const match = {
    openReturns: [{ family, reference: 'order-1', money }],
    addFinding: (finding: Finding) => void found.push(finding),
  } as unknown as StatementMatch;
  const journal = {
    get: ({ family: of }: JournalKey) => {
      if (of === 'collection') return Promise.resolve(has.amount && collection(has.amount));
      return Promise.resolve(has.payout === 'stored' ? {} : undefined);
    },
    tombstone: ({ family: of }: JournalKey) =>
      Promise.resolve(of === 'disbursement' && has.payout === 'forgotten' ? {} : undefined),
  } as unknown as JournalStore;
  const scope = { account: 'default', environment: 'sandbox' } as const;
  await findLostSigns(match, { journal, scope }, () => undefined);
  return found;
}

describe('money that is no payment, and comes in under the reference of a collection of 10000.00', () => {
  const amount = '10000.00';

  it.each([
    ['all of it', 1_000_000],
    ['all of it less the fee', 990_000],
  ])('may be a refund without its minus if it is %s', async (_, cents) => {
    expect(await foundOf(cents, { amount })).toMatchObject([
      { kind: 'status', family: 'collection', reference: 'order-1', row: { row: 3 }, contradicts: 'sign' },
    ]);
  });

  it.each([
    ['another amount', 1_000_001, { amount }],
    ['no more than its fee', 10_000, { amount }],
    ['of a reference that a payout has, too', 1_000_000, { amount, payout: 'stored' }],
    ['of a reference that a payout had that is forgotten', 1_000_000, { amount, payout: 'forgotten' }],
    ['of a reference that no collection has', 1_000_000, {}],
    ['of a collection whose amount nobody can read', 1_000_000, { amount: 'unreadable' }],
  ] as const)('is no refund if it is %s', async (_, cents, has) => {
    expect(await foundOf(cents, has)).toEqual([]);
  });

  it.each([
    ['a payment', { kind: 'collection' }],
    ['money that was taken back with its minus', { family: 'collection' }],
  ] as const)('is no refund without its minus if it is %s', async (_, row) => {
    expect(await foundOf(1_000_000, { amount }, row)).toEqual([]);
  });
});
