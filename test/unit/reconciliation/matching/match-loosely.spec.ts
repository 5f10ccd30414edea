import { expect, it } from 'vitest';
import { matchLoosely } from '../../../../lib/reconciliation/matching/match-loosely.js';
import { type StatementMatch } from '../../../../lib/reconciliation/matching/match-statement.js';
import { type UnknownRow } from '../../../../lib/reconciliation/matching/open-rows.js';
import { JournalPayments } from '../../../../lib/reconciliation/matching/journal-payments.js';
import { type JournalStore } from '../../../../lib/storage/journal-store.js';

const AT = Date.parse('2026-11-20T08:00:00Z');

it('a run shows that it is alive while it looks for payments without a reference, and stops if another one took over', async () => {
  const payments = new JournalPayments();
  for (const number of [1, 2, 3]) {
    payments.add({
      family: 'collection',
      reference: `order-${number}`,
      state: 'moved',
      status: 'success',
      cents: 100,
      feeCents: undefined,
      isRepeatable: false,
      attempt: 1,
      begunAt: AT,
      createdAt: AT,
      changedAt: AT,
    });
  }
  const row: UnknownRow = {
    given: {
      row: 2,
      kind: 'collection',
      reference: undefined,
      amount: '1.00',
      fee: undefined,
      at: new Date(AT),
      recipient: undefined,
      isFailed: false,
    },
    money: { row: 2, kind: 'collection', isFailed: false, cents: 100, feeCents: undefined, at: AT },
    isForgotten: false,
  };
  const match = { hasRow: () => false, matchPlace: () => undefined } as unknown as StatementMatch;
  let read = 0;
  const journal = { get: () => Promise.resolve(void (read += 1)) } as unknown as JournalStore;
  const own = { journal, scope: { account: 'default', environment: 'sandbox' } as const, payments };
  const eachPayment = (): Promise<void> | undefined =>
    read === 2 ? Promise.reject(new Error('taken over')) : undefined;
  await expect(matchLoosely(match, [row], own, 1_000, eachPayment)).rejects.toThrow('taken over');
  expect(read).toBe(2);
});
