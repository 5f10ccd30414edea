import { describe, expect, it } from 'vitest';
import { paymentEvent } from '../../../../lib/testing/payment-event.js';
import {
  chargeFingerprintOf,
  fingerprintOf,
  classifyEvent,
  replacedBy,
} from '../../../../lib/webhooks/delivery/delivery-decision.js';

describe('classifyEvent()', () => {
  it.each([
    ['payment.success', {}, 'outcome'],
    ['payment.expired', { status: 'timed_out' }, 'outcome'],
    ['payment.success', { status: 'failed' }, 'mismatch'],
    ['payment.failed', { status: 'pending' }, 'mismatch'],
    ['payment.success', { currency: 'tzs' }, 'mismatch'],
    ['payment.refunded', {}, 'unrecognized'],
    ['payment.refunded', { currency: 'USD' }, 'unrecognized'],
    ['constructor', {}, 'unrecognized'],
    ['payment.succeeded', { status: 'success' }, 'unrecognized'],
    ['PAYMENT.SUCCESS', { status: 'success' }, 'unrecognized'],
    ['payment.success ', { status: 'success' }, 'unrecognized'],
    ['payment_success', { status: 'success' }, 'unrecognized'],
  ])('calls %s with %j an %s', (name, data, kind) => {
    expect(classifyEvent(paymentEvent(name, data)).kind).toBe(kind);
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

describe('chargeFingerprintOf()', () => {
  const charge = (reference?: unknown, name = 'payment.success') =>
    chargeFingerprintOf(
      paymentEvent(name, { reference: 'order-1', provider_reference: reference as string }),
    );

  it('tells two charges of one payment apart, and nothing else', () => {
    expect(charge('p1')).toBe(charge(' p1 '));
    expect(charge(7)).toBe(charge('7'));
    expect(charge('p1')).not.toBe(charge('p2'));
    expect(new Set([charge(), charge(null), charge(''), charge(' '), charge({})]).size).toBe(1);
    expect(charge('p1', 'payment.failed')).toBe(charge('p2', 'payment.failed'));
  });
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
