import { describe, expect, it } from 'vitest';
import { mayPay, type OrderState } from '../src/orders/order.js';
import { newOrderNumber, referenceOf } from '../src/orders/order-number.js';
import { journalVerdict } from '../src/payments/journal-verdict.js';

describe('the number of an order', () => {
  it('each order gets another number, which is easy to read out', () => {
    const numbers = new Set(Array.from({ length: 1_000 }, newOrderNumber));
    expect(numbers.size).toBe(1_000);
    expect([...numbers].filter((number) => !/^SP-[0-9A-HJKMNP-TV-Z]{12}$/.test(number))).toEqual([]);
  });

  it('the number of an order is the first reference, and the later references begin with it', () => {
    expect([1, 2, 3].map((nr) => referenceOf('SP-1', nr))).toEqual(['SP-1', 'SP-1-2', 'SP-1-3']);
  });
});

describe('money', () => {
  it('a payment is requested only if no other one can be under way', () => {
    const states: readonly OrderState[] = [
      'placed',
      'asking',
      'waiting',
      'unknown',
      'stale',
      'review',
      'failed',
      'paid',
    ];
    expect(states.filter((state) => mayPay({ state }))).toEqual(['placed', 'failed']);
  });
});

describe('a journal entry', () => {
  it.each([
    [undefined, { kind: 'not-asked', reason: 'unavailable' }],
    [{ state: 'rejected' }, { kind: 'not-asked', reason: 'refused' }],
    [{ state: 'in-flight' }, { kind: 'open', state: 'unknown' }],
    [{ state: 'unknown' }, { kind: 'open', state: 'unknown' }],
    [{ state: 'accepted' }, { kind: 'open', state: 'waiting' }],
    [
      { state: 'settled', outcome: 'success' },
      { kind: 'ended', outcome: 'success' },
    ],
    [
      { state: 'settled', outcome: 'expired' },
      { kind: 'ended', outcome: 'expired' },
    ],
  ] as const)('the entry %j gives an order the verdict %j', (entry, verdict) => {
    expect(journalVerdict(entry)).toEqual(verdict);
  });
});
