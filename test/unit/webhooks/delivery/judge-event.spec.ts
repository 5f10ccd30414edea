import { describe, expect, it } from '@jest/globals';
import { paymentEvent } from '../../../../lib/testing/payment-event.js';
import { fingerprintOf, judgeEvent, replacedBy } from '../../../../lib/webhooks/delivery/judge-event.js';

describe('judgeEvent()', () => {
  it.each([
    ['payment.success', {}, 'outcome'],
    ['payment.expired', { status: 'timed_out' }, 'outcome'],
    ['payment.success', { status: 'failed' }, 'mismatch'],
    ['payment.failed', { status: 'pending' }, 'mismatch'],
    ['payment.success', { currency: 'tzs' }, 'mismatch'],
    ['payment.refunded', {}, 'unrecognized'],
    ['payment.refunded', { currency: 'USD' }, 'unrecognized'],
    ['constructor', {}, 'unrecognized'],
  ])('calls %s with %j an %s', (name, data, kind) => {
    expect(judgeEvent(paymentEvent(name, data)).kind).toBe(kind);
  });
});

describe('fingerprintOf()', () => {
  const event = paymentEvent('payment.success', { reference: 'order-1' });

  it('is the same whenever and with whatever other fields an outcome is generated', () => {
    const again = paymentEvent('payment.success', { reference: 'order-1', customer_name: null, extra: 1 });
    expect(fingerprintOf(again)).toBe(fingerprintOf(event));
  });

  it.each([{ reference: 'order-2' }, { amount: '1000.01' }, { currency: 'USD' }, { status: 'paid' }])(
    'differs with %j',
    (change) => {
      const other = paymentEvent('payment.success', { reference: 'order-1', ...change });
      expect(fingerprintOf(other)).not.toBe(fingerprintOf(event));
    },
  );
});

describe('replacedBy()', () => {
  const failed = paymentEvent('payment.failed', { reference: 'order-1' });
  const success = paymentEvent('payment.success', { reference: 'order-1' });
  const pairs = [['payment.failed', 'payment.success']] as const;

  it('names the outcomes that the options let an event replace, for the same money only', () => {
    expect(replacedBy(success, pairs)).toEqual([fingerprintOf(failed)]);
    const cheaper = paymentEvent('payment.success', { reference: 'order-1', amount: '1.00' });
    expect(replacedBy(cheaper, pairs)).not.toContain(fingerprintOf(failed));
  });

  it('names nothing in the other direction', () => {
    expect(replacedBy(failed, pairs)).toEqual([]);
  });
});
