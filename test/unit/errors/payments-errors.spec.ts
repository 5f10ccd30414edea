import { describe, expect, it } from 'vitest';
import {
  GatewayUnreachableError,
  PaymentOutcomeUnknownError,
  PaymentRejectedError,
  isPaymentsError,
  PaymentsError,
  PaymentsRateLimitError,
  PaymentsValidationError,
} from '../../../lib/errors/payments-errors.js';

describe('an error of this package', () => {
  it('says whether money may have moved and whether the call may be repeated', () => {
    const unknown = new PaymentOutcomeUnknownError('no-answer', 'no answer came');
    expect(unknown).toMatchObject({
      name: 'PaymentOutcomeUnknownError',
      code: 'OUTCOME_UNKNOWN',
      mayHaveBeenProcessed: true,
      retryable: false,
    });
    expect(new PaymentRejectedError('INVALID_PHONE', 'refused')).toMatchObject({
      mayHaveBeenProcessed: false,
      retryable: false,
    });
    expect(new GatewayUnreachableError('down')).toMatchObject({
      mayHaveBeenProcessed: false,
      retryable: true,
    });
    expect(new PaymentsRateLimitError(5, 'slow')).toMatchObject({ retryAfterMs: 5, retryable: true });
  });

  it('holds only the details that are known', () => {
    const error = new PaymentRejectedError('X', 'refused', { reference: 'order-1', requestId: undefined });
    expect(error.reference).toBe('order-1');
    expect(Object.keys(error)).not.toContain('requestId');
  });

  it('lists what is wrong with a request in its message', () => {
    const error = new PaymentsValidationError({ phone: ['phone is wrong'], amount: ['amount is wrong'] });
    expect(error.message).toBe('Nothing was sent, the request is wrong: phone is wrong; amount is wrong');
  });
});

describe('isPaymentsError', () => {
  it('knows an error of another copy of the package by its brand', () => {
    const foreign = Object.assign(new Error('other copy'), { [Symbol.for('nestjs-payments.error')]: true });
    expect(isPaymentsError(foreign)).toBe(true);
    expect(isPaymentsError(new PaymentsError('X', 'x'))).toBe(true);
  });

  it.each([new Error('x'), null, undefined, 'PaymentsError', { code: 'OUTCOME_UNKNOWN' }])(
    'does not take %p for one',
    (value) => {
      expect(isPaymentsError(value)).toBe(false);
    },
  );
});
