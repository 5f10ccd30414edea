import { describe, expect, it } from 'vitest';
import {
  GatewayAnswerError,
  GatewayUnreachableError,
  PaymentOutcomeUnknownError,
  PaymentRejectedError,
  isPaymentsError,
  PaymentsAuthenticationError,
  PaymentsConfigError,
  PaymentsError,
  PaymentsRateLimitError,
  PaymentsStorageError,
  PaymentsValidationError,
  ReferenceReusedError,
  WebhookRefusedError,
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

  it.each<[string, PaymentsError, string, boolean, PaymentsError['mayHaveBeenProcessed']]>([
    ['PaymentsError', new PaymentsError('X', 'm'), 'X', false, false],
    ['GatewayAnswerError', new GatewayAnswerError('X', 'm'), 'X', true, false],
    ['GatewayUnreachableError', new GatewayUnreachableError('m'), 'GATEWAY_UNREACHABLE', true, false],
    [
      'PaymentOutcomeUnknownError',
      new PaymentOutcomeUnknownError('aborted', 'm'),
      'OUTCOME_UNKNOWN',
      false,
      true,
    ],
    ['PaymentRejectedError', new PaymentRejectedError('X', 'm'), 'X', false, false],
    ['PaymentsAuthenticationError', new PaymentsAuthenticationError('X', 'm'), 'X', false, false],
    ['PaymentsConfigError', new PaymentsConfigError('m'), 'CONFIG_INVALID', false, false],
    ['PaymentsRateLimitError', new PaymentsRateLimitError(5, 'm'), 'RATE_LIMITED', true, false],
    ['PaymentsStorageError', new PaymentsStorageError('m'), 'STORAGE_UNAVAILABLE', true, false],
    [
      'PaymentsStorageError',
      new PaymentsStorageError('m', {}, 'not-by-this-call'),
      'STORAGE_UNAVAILABLE',
      true,
      'not-by-this-call',
    ],
    ['ReferenceReusedError', new ReferenceReusedError('m'), 'REFERENCE_REUSED', false, false],
    ['ReferenceReusedError', new ReferenceReusedError('m', {}, true), 'REFERENCE_REUSED', false, true],
    ['WebhookRefusedError', new WebhookRefusedError(401, 'm', 'why'), 'WEBHOOK_REFUSED', false, false],
  ])(
    '%s has its name, its code and its two answers',
    (name, error, code, retryable, mayHaveBeenProcessed) => {
      expect(error).toMatchObject({ name, code, message: 'm', retryable, mayHaveBeenProcessed });
      expect(isPaymentsError(error)).toBe(true);
    },
  );

  it('holds only the details that are known', () => {
    const error = new PaymentRejectedError('X', 'refused', { reference: 'order-1', requestId: undefined });
    expect(error.reference).toBe('order-1');
    expect(Object.keys(error)).not.toContain('requestId');
  });

  it('lists what is wrong with a request in its message', () => {
    const error = new PaymentsValidationError({ phone: ['phone is wrong'], amount: ['amount is wrong'] });
    expect(error.message).toBe('The call is wrong: phone is wrong; amount is wrong');
    const other = new PaymentsValidationError(
      { statement: ['row 1: no'] },
      {},
      'The statement cannot be used',
    );
    expect(other.message).toBe('The statement cannot be used: row 1: no');
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
