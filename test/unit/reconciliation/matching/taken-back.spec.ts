import { expect, it } from 'vitest';
import { type RowMoney } from '../../../../lib/reconciliation/matching/classify-payment.js';
import { type JournalPayment } from '../../../../lib/reconciliation/matching/journal-payment.js';
import { takesBack } from '../../../../lib/reconciliation/matching/taken-back.js';

it.each([
  ['disbursement', undefined, 149_999, false],
  ['disbursement', undefined, 150_000, true],
  // A payout of 3000.00 that comes back less its fee, which is more than a third of it.
  ['disbursement', 200_000, 100_000, true],
  ['disbursement', 200_000, 49_999, false],
  ['collection', undefined, -149_999, false],
  ['collection', 200_000, -50_000, true],
] as const)(
  'a %s of 3000.00 with the fee %s, and a row of %s that names it: %s',
  (family, feeCents, cents, is) => {
    const own = { family, state: 'moved', cents: 300_000, feeCents, begunAt: 0, attempt: 1 };
    const row = { kind: 'other', cents, isFailed: false, at: 1 };
    expect(takesBack(own as JournalPayment, row as RowMoney)).toBe(is);
  },
);
