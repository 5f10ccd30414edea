import { describe, expect, it } from 'vitest';
import { refusalReason } from '../../../../lib/sandbox/core/refusal-reason.js';

describe('the reason of a refusal', () => {
  it.each([
    [{ status: 'success', code: 'PAYMENT_INITIATED', message: 'Payment initiated successfully.' }, null],
    [{ status: 'error', code: 'UNAUTHORIZED', message: 'Unauthenticated.' }, 'Unauthenticated.'],
    [{ success: false, code: 'PROVIDER_ERROR', message: 'The provider failed.' }, 'The provider failed.'],
    [
      {
        success: false,
        message: 'The given data was invalid.',
        errors: { amount: ['The amount must be a number.'], phone: ['The phone field is required.'] },
      },
      'The amount must be a number. The phone field is required.',
    ],
    [{ success: false, message: 'Invalid.', errors: {} }, 'Invalid.'],
    [{ success: false }, null],
  ])('of %j is %s', (body, reason) => {
    expect(refusalReason(body)).toBe(reason);
  });
});
