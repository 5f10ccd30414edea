import { describe, expect, it } from 'vitest';
import {
  DailyCapReachedError,
  GatewayUnreachableError,
  PaymentOutcomeUnknownError,
  PaymentRejectedError,
  PaymentsAuthenticationError,
  PaymentsRateLimitError,
  PaymentsStorageError,
  PaymentsValidationError,
  ReferenceReusedError,
} from 'nestjs-payments';
import { judgeError } from '../src/pay/judge-error.js';

describe('an error of a payment', () => {
  it.each([
    { error: new PaymentOutcomeUnknownError('no-answer', 'lost'), state: 'unknown', stops: false },
    { error: new PaymentOutcomeUnknownError('duplicate-request', 'known'), state: 'unknown', stops: false },
    { error: new ReferenceReusedError('stands', {}, true), state: 'unknown', stops: false },
    { error: new ReferenceReusedError('ended', {}, false), state: 'failed', stops: false },
    { error: new PaymentRejectedError('INVALID_ACCOUNT', 'no'), state: 'refused', stops: false },
    { error: new PaymentsValidationError({ amount: ['no'] }), state: 'refused', stops: false },
    { error: new PaymentRejectedError('INSUFFICIENT_BALANCE', 'no'), state: 'not-sent', stops: true },
    { error: new DailyCapReachedError(new Date(0), 'the cap is reached'), state: 'not-sent', stops: true },
    { error: new GatewayUnreachableError('away'), state: 'not-sent', stops: true },
    { error: new PaymentsAuthenticationError('UNAUTHORIZED', 'no'), state: 'not-sent', stops: true },
    { error: new PaymentsRateLimitError(1_000, 'slowly'), state: 'not-sent', stops: true },
    { error: new PaymentsStorageError('away', {}, 'not-by-this-call'), state: 'not-sent', stops: true },
    { error: new TypeError('a bug'), state: 'unknown', stops: true },
  ])('$error.name leaves the line $state, and stops the run: $stops', ({ error, state, stops }) => {
    const { result, stop } = judgeError(error);
    expect({ state: result.state, stops: stop !== undefined }).toEqual({ state, stops });
  });
});
