import { describe, expect, it } from 'vitest';
import { JournalPayments } from '../../../../lib/reconciliation/matching/journal-payments.js';
import { type JournalPayment } from '../../../../lib/reconciliation/matching/journal-payment.js';
import { feeReferences, OtherRows } from '../../../../lib/reconciliation/matching/other-rows.js';
import { type OtherMoney, rowMoney } from '../../../../lib/reconciliation/matching/row-money.js';
import { type StatementRow } from '../../../../lib/reconciliation/statement/statement-row.js';

const row = (kind: 'fee' | 'other', reference: string | undefined): StatementRow => ({
  row: 2,
  kind,
  reference,
  amount: '-7.00',
  fee: undefined,
  at: new Date(1),
  recipient: undefined,
  isFailed: false,
});

const MOST_OPEN = 2;

/** A day with the collection `order-1` and the payout `supplier-1`. */
function otherRows(): { readonly rows: OtherRows; readonly heard: OtherMoney[] } {
  const payments = new JournalPayments();
  for (const [family, reference] of [
    ['collection', 'order-1'],
    ['disbursement', 'supplier-1'],
  ] as const)
    payments.add({ family, reference, state: 'moved', status: 'paid' } as JournalPayment);
  const heard: OtherMoney[] = [];
  return { rows: new OtherRows(payments, { other: (money) => void heard.push(money) }, MOST_OPEN), heard };
}

describe('a row of a day that is no payment', () => {
  it.each([
    ['fee', undefined, 'certain', false],
    ['fee', 'order-1', 'doubtful', true],
    ['fee', 'supplier-1', 'doubtful', true],
    ['fee', 'CHG-1', 'open', false],
    // Its reference is made from that of the payment.
    ['fee', 'order-1-FEE', 'doubtful', false],
    ['fee', 'supplier-1/PAYIN', 'doubtful', false],
    ['fee', 'order-10', 'open', false],
    ['other', undefined, 'certain', false],
    ['other', 'order-1', 'certain', true],
    ['other', 'TOP-1', 'certain', false],
  ] as const)('of the kind %s with the reference %s is %s', (kind, reference, is, isOfDay) => {
    const { rows, heard } = otherRows();
    const given = row(kind, reference);
    expect(rows.take(given, rowMoney(given))).toBe(isOfDay);
    expect(rows.certain.total()).toBe(is === 'certain' ? -700n : 0n);
    expect(rows.doubtfulFees.total()).toBe(is === 'doubtful' ? -700n : 0n);
    expect(rows.openFees.map((fee) => fee.reference)).toEqual(is === 'open' ? [reference] : []);
    expect(heard.map(({ isDoubtful }) => isDoubtful)).toEqual(is === 'open' ? [] : [is === 'doubtful']);
  });

  it.each([
    [true, 0n, -700n],
    [false, -700n, 0n],
  ])('may be an open fee, of a payment: %s', (isOfPayment, certain, doubtful) => {
    const { rows, heard } = otherRows();
    const given = row('fee', 'CHG-1');
    rows.take(given, rowMoney(given));
    for (const fee of rows.openFees) rows.takeFee(fee, isOfPayment);
    expect([rows.certain.total(), rows.doubtfulFees.total()]).toEqual([certain, doubtful]);
    expect(heard).toEqual([{ cents: -700, at: 1, isDoubtful: isOfPayment }]);
  });

  it('is a doubtful fee if too many are open', () => {
    const { rows } = otherRows();
    for (const reference of ['CHG-1', 'CHG-2', 'CHG-3']) {
      const given = row('fee', reference);
      rows.take(given, rowMoney(given));
    }
    expect(rows.openFees.map(({ reference }) => reference)).toEqual(['CHG-1', 'CHG-2']);
    expect(rows.doubtfulFees.total()).toBe(-700n);
  });
});

it.each([
  ['order-1', ['order-1', 'order']],
  ['order-1/FEE', ['order-1/FEE', 'order-1']],
  ['CHG', ['CHG']],
  // Nothing is left of it.
  ['-7', ['-7']],
])('a fee with the reference %s may be of %j', (reference, payments) => {
  expect(feeReferences(reference)).toEqual(payments);
});
