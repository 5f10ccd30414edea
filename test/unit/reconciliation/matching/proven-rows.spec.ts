import { expect, it } from 'vitest';
import { JournalPayments } from '../../../../lib/reconciliation/matching/journal-payments.js';
import { ProvenRows } from '../../../../lib/reconciliation/matching/proven-rows.js';

it.each([9, 5_000_000_009, -1, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER])(
  'what row %d proves is kept with its number, of a payment of the day and of another day',
  (number) => {
    const payments = new JournalPayments();
    payments.add({
      family: 'disbursement',
      reference: 'a',
      state: 'accepted',
      status: 'accepted',
      cents: 100,
      feeCents: 1,
      isRepeatable: false,
      attempt: 1,
      createdAt: 5,
      begunAt: 5,
      changedAt: 5,
    });
    const proven = new ProvenRows(payments);
    const row = { row: number, kind: 'payout', cents: 100, feeCents: 1, at: 7, isFailed: false } as const;
    proven.add(0, 'paid', row);
    const proof = {
      family: 'disbursement',
      outcome: 'paid',
      row: number,
      at: 7,
      attempt: undefined,
    } as const;
    proven.addOther({ ...proof, reference: 'b' });
    expect([...proven]).toEqual([
      { ...proof, reference: 'a' },
      { ...proof, reference: 'b' },
    ]);
  },
);
