import { describe, expect, it } from 'vitest';
import { paymentEvent } from '../../../../lib/testing/payment-event.js';
import { retryLater, describeEvent, errorText } from '../../../../lib/webhooks/delivery/webhook-answer.js';

describe('the answer to a delivery', () => {
  it.each([
    [-5_000, 1],
    [0, 1],
    [1_000, 1],
    [1_001, 2],
    [5_000, 5],
  ])('asks to come again after %d ms in %d seconds', (ms, retryAfterSeconds) => {
    expect(retryLater(ms)).toEqual({ status: 503, retryAfterSeconds });
  });
});

describe('a log line', () => {
  it('quotes what comes from outside', () => {
    const event = paymentEvent('payment.success', { reference: 'order\n1' });
    expect(describeEvent(event)).toBe('"payment.success" for the reference "order\\n1"');
  });

  it('is one line for its reader, whatever ends a line or controls a terminal', () => {
    const reference = 'a\u2028b\u2029c\u0085d\u009be\u007ff\u202eg';
    const event = paymentEvent('payment.success', { reference });
    expect(describeEvent(event)).toBe(
      '"payment.success" for the reference "a\\u2028b\\u2029c\\u0085d\\u009be\\u007ff\\u202eg"',
    );
    expect(describeEvent({ ...event, event: 'Zoë 😀' })).toContain('"Zoë 😀"');
  });

  it('has the stack of an error, or its message if it has no stack, and no other value', () => {
    const error = new Error('no stock');
    expect(errorText(error)).toBe(error.stack);
    delete error.stack;
    expect(errorText(error)).toBe('no stock');
    for (const value of ['no stock', undefined, { message: 'no stock' }]) {
      expect(errorText(value)).toBe('a value that is not an Error was thrown');
    }
  });
});
