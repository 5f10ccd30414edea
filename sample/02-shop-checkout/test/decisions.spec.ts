import { describe, expect, it } from 'vitest';
import { GatewayUnreachableError, PaymentRejectedError, PaymentsRateLimitError } from 'nestjs-payments';
import { mayChangePhone, mayPay, type Order, type OrderState, orderView } from '../src/orders/order.js';
import { newOrderNumber, referenceOf } from '../src/orders/order-number.js';
import { setbackOf } from '../src/orders/setback.js';
import { pageHeaders } from '../src/pages/page-headers.js';
import { journalVerdict } from '../src/payments/journal-verdict.js';

/** A module of the page, which has no types. */
const { actionOf } = (await import(new URL('../public/action.js', import.meta.url).href)) as {
  readonly actionOf: (order: object) => string;
};

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
    [
      { state: 'rejected', final: true },
      { kind: 'not-asked', reason: 'refused' },
    ],
    // The package keeps its idempotency key, which belongs to that phone.
    [
      { state: 'rejected', final: false },
      { kind: 'not-asked', reason: 'unavailable' },
    ],
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

describe('a request that was not accepted', () => {
  it.each([
    [new PaymentRejectedError('INVALID_REQUEST', 'no'), { reason: 'refused' }],
    [new PaymentRejectedError('HTTP_422', 'no', {}, { phone: ['is wrong'] }), { reason: 'refused' }],
    // A listed one after "too many requests" does not prove that the first try made nothing.
    [new PaymentRejectedError('INVALID_PHONE', 'no', {}, {}, false), { reason: 'unavailable' }],
    // An unlisted refusal keeps its idempotency key, which belongs to that phone.
    [new PaymentRejectedError('HTTP_422', 'no'), { reason: 'unavailable' }],
    [new PaymentsRateLimitError(2_000, 'slow'), { reason: 'limited', waitMs: 2_000 }],
    [new PaymentsRateLimitError(undefined, 'slow'), { reason: 'limited', waitMs: 10_000 }],
    [new GatewayUnreachableError('no'), { reason: 'unavailable' }],
  ])('%s gives an order the setback %j', (error, setback) => {
    expect(setbackOf(error)).toEqual(setback);
  });

  it('another phone may pay only after a clear refusal or an ended payment', () => {
    const reasons = ['failed', 'cancelled', 'expired', 'refused', 'limited', 'unavailable'] as const;
    expect(reasons.filter((reason) => mayChangePhone({ reason }))).toEqual([
      'failed',
      'cancelled',
      'expired',
      'refused',
    ]);
  });

  it('the page gets the time to wait, not a moment of a clock', () => {
    const order = { amount: '1.00', phone: '255712345678', ask_again_at: new Date(5_000) } as Order;
    expect([1_000, 5_000, 9_000].map((now) => orderView(order, now).waitMs)).toEqual([4_000, 0, 0]);
    expect(orderView({ ...order, ask_again_at: null }, 0).waitMs).toBe(0);
  });
});

describe('what a customer may do', () => {
  it.each([
    [{ state: 'placed', reason: null, waitMs: 0 }, 'pay'],
    [{ state: 'failed', reason: 'failed', waitMs: 0 }, 'again'],
    [{ state: 'failed', reason: 'cancelled', waitMs: 0 }, 'again'],
    [{ state: 'failed', reason: 'expired', waitMs: 0 }, 'again'],
    [{ state: 'failed', reason: 'refused', waitMs: 0 }, 'number'],
    [{ state: 'failed', reason: 'limited', waitMs: 1 }, 'wait'],
    [{ state: 'failed', reason: 'limited', waitMs: 0 }, 'same'],
    [{ state: 'failed', reason: 'unavailable', waitMs: 0 }, 'same'],
    ...['asking', 'waiting', 'unknown', 'stale', 'review', 'paid'].map(
      (state) => [{ state, reason: null, waitMs: 0 }, 'nothing'] as const,
    ),
  ] as const)('about the order %j: %s', (order, action) => {
    expect(actionOf(order)).toBe(action);
  });
});

describe('the pages', () => {
  const ancestorsOf = (framedBy?: string) =>
    /frame-ancestors (.*)$/.exec(pageHeaders(framedBy)['Content-Security-Policy']!)?.[1];

  it('show themselves in a frame of one origin, which the shop is told, and otherwise of none', () => {
    expect([undefined, '', 'http://127.0.0.1:4240', 'http://127.0.0.1:4240/page?x'].map(ancestorsOf)).toEqual(
      ["'none'", "'none'", 'http://127.0.0.1:4240', 'http://127.0.0.1:4240'],
    );
    expect(() => pageHeaders('*; script-src *')).toThrow('Invalid URL');
  });
});
