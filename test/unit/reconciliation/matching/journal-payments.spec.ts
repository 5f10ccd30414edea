import { describe, expect, it } from 'vitest';
import { LARGEST_ATTEMPT } from '../../../../lib/gateway/call-options.js';
import { type JournalPayment } from '../../../../lib/reconciliation/matching/journal-payment.js';
import { JournalPayments } from '../../../../lib/reconciliation/matching/journal-payments.js';

const payment = (number: number): JournalPayment => ({
  family: number % 2 === 0 ? 'collection' : 'disbursement',
  reference: `order-${number}`,
  state: (['moved', 'none', 'accepted', 'unknown'] as const)[number % 4] ?? 'moved',
  status: ['success', 'failed', 'accepted', 'unknown'][number % 4] ?? '',
  cents: number % 7 === 0 ? undefined : number * 100,
  feeCents: number % 3 === 0 ? undefined : number,
  isRepeatable: number % 5 === 0,
  isTurnedAway: number % 11 === 0,
  attempt: (number % 3) + 1,
  begunAt: 1_750_000_000_000 + number,
  createdAt: 1_700_000_000_000 + number,
  changedAt: 1_800_000_000_000 + number,
});

describe('the payments of a day', () => {
  it('are found and read as they were added, however many there are', () => {
    const payments = new JournalPayments();
    const all = Array.from({ length: 5_000 }, (_, number) => payment(number));
    for (const one of all) payments.add(one);
    expect(payments.size).toBe(5_000);
    for (const one of all) {
      const place = payments.find(one.family, one.reference);
      expect(payments.at(place ?? -1)).toEqual(one);
    }
  });

  it('keep the first of two with the same reference, and tell families apart', () => {
    const payments = new JournalPayments();
    payments.add(payment(2));
    payments.add({ ...payment(2), cents: 1 });
    payments.add({ ...payment(2), family: 'disbursement', cents: 3 });
    expect(payments.size).toBe(2);
    expect(payments.at(payments.find('collection', 'order-2') ?? -1).cents).toBe(200);
    expect(payments.at(payments.find('disbursement', 'order-2') ?? -1).cents).toBe(3);
    expect(payments.find('collection', 'order-3')).toBeUndefined();
  });

  it('keep the largest attempt that a journal keeps', () => {
    const payments = new JournalPayments();
    payments.add({ ...payment(1), attempt: LARGEST_ATTEMPT });
    expect(payments.at(0).attempt).toBe(LARGEST_ATTEMPT);
  });

  it('have no payment where none was added', () => {
    expect(() => new JournalPayments().at(0)).toThrow(RangeError);
  });
});
