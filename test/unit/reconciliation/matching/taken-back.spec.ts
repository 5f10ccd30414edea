import { describe, expect, it } from 'vitest';
import { type RowMoney } from '../../../../lib/reconciliation/matching/classify-payment.js';
import { type JournalPayment } from '../../../../lib/reconciliation/matching/journal-payment.js';
import { JournalPayments } from '../../../../lib/reconciliation/matching/journal-payments.js';
import { TakenBack } from '../../../../lib/reconciliation/matching/taken-back.js';

const payment = (given: Partial<JournalPayment>): JournalPayment => ({
  family: 'disbursement',
  reference: 'a',
  state: 'moved',
  status: 'paid',
  cents: 300_000,
  feeCents: undefined,
  isRepeatable: false,
  attempt: 1,
  createdAt: 0,
  begunAt: 0,
  changedAt: 0,
  ...given,
});
const row = (cents: number, kind: RowMoney['kind'] = 'other'): RowMoney => ({
  row: 2,
  kind,
  isFailed: false,
  cents,
  feeCents: undefined,
  at: 1,
});
/** The payments of a day. */
const dayOf = (...some: readonly JournalPayment[]): JournalPayments => {
  const payments = new JournalPayments();
  for (const one of some) payments.add(one);
  return payments;
};

it.each([
  // The fee of a payout may be given back.
  ['disbursement', 500, [500], [false]],
  ['disbursement', 500, [501], [true]],
  ['disbursement', 500, [250, 250, 1, 1], [false, false, true, true]],
  ['disbursement', undefined, [1], [true]],
  ['disbursement', 0, [1], [true]],
  ['disbursement', 500, [120_000, 120_000, 65_000], [true, true, true]],
  // A payout of 3000.00 that comes back less its fee, which is more than a third of it.
  ['disbursement', 200_000, [49_999], [false]],
  ['disbursement', 200_000, [50_000], [true]],
  ['disbursement', 200_000, [25_000, 25_000], [false, true]],
  // Of a collection somebody may take a levy.
  ['collection', undefined, [-30_000], [false]],
  ['collection', undefined, [-30_001], [true]],
  ['collection', 40_000, [-40_000], [false]],
  ['collection', 40_000, [-20_000, -20_000, -1], [false, false, true]],
  ['collection', 200_000, [-50_000], [true]],
  ['collection', 6_000, [-15_000, -15_000, -15_000], [false, false, true]],
  // Money that moves in the direction of the payment takes nothing back.
  ['disbursement', 500, [-300_000], [false]],
  ['collection', 500, [300_000], [false]],
] as const)('a %s of 3000.00 with the fee %s is back after rows of %j: %j', (family, feeCents, cents, is) => {
  const own = payment({ family, feeCents });
  for (const payments of [dayOf(own), dayOf()]) {
    const back = new TakenBack(payments);
    expect(cents.map((one) => back.take(own, row(one)) !== undefined)).toEqual(is);
  }
});

describe('the rows of several payments', () => {
  it.each([
    ['of the day', 2],
    ['of another day', 0],
  ])('%s count for their own', (_, ofDay) => {
    const [one, other] = [payment({ feeCents: 500 }), payment({ reference: 'b', feeCents: 500 })];
    const back = new TakenBack(dayOf(...[one, other].slice(0, ofDay)));
    expect([one, other, one, other].map((own) => back.take(own, row(250)))).toEqual(
      Array.from({ length: 4 }, () => undefined),
    );
    expect(back.take(other, row(1))).toBe('a part');
    expect(back.take(one, row(0, 'collection'))).toBeUndefined();
    expect(back.take(one, row(1, 'collection'))).toBe('a part');
  });

  it('with one reference in both families count for their own', () => {
    const payout = payment({ feeCents: 500 });
    const collection = payment({ family: 'collection', feeCents: 500 });
    for (const payments of [dayOf(payout, collection), dayOf()]) {
      const back = new TakenBack(payments);
      expect([back.take(payout, row(500)), back.take(collection, row(-29_600))]).toEqual([
        undefined,
        undefined,
      ]);
    }
  });
});

it.each([
  ['that the journal calls failed', { state: 'none', status: 'failed' }, undefined],
  ['that the journal calls refused', { state: 'none', status: 'rejected' }, 'a part'],
  ['whose fee came back with it', { cents: 299_500, feeCents: 500 }, 'a part'],
  ['that moved less', { cents: 299_499, feeCents: 500 }, 'too much'],
  ['whose last attempt began later', { attempt: 2, begunAt: 120_000 }, undefined],
  ['whose amount nobody can read', { cents: undefined, feeCents: 500 }, 'too much'],
] as const)('a payout %s is back after a row of all of it: %s', (_, given, is) => {
  const back = new TakenBack(dayOf());
  expect(back.take(payment(given), row(300_000))).toBe(is);
});
