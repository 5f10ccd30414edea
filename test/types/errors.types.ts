// The errors of api.md, their fields, and how an application tells them apart.
import { APP_INTERCEPTOR } from '@nestjs/core';
import {
  GatewayUnreachableError,
  isPaymentsError,
  type OutcomeEvidence,
  PAYMENTS_ERROR_INTERCEPTOR_OPTIONS,
  PaymentOutcomeUnknownError,
  PaymentRejectedError,
  PaymentsAuthenticationError,
  PaymentsConfigError,
  PaymentsError,
  type PaymentsErrorBody,
  PaymentsErrorInterceptor,
  type PaymentsErrorInterceptorOptions,
  PaymentsRateLimitError,
  PaymentsStorageError,
  PaymentsValidationError,
  ReferenceReusedError,
} from 'nestjs-payments';
import { type Equal, type Expect } from './expect.js';

export type Checks = [
  Expect<Equal<PaymentsError['code'], string>>,
  Expect<Equal<PaymentsError['hint'], string | undefined>>,
  Expect<Equal<PaymentsError['httpStatus'], number | undefined>>,
  Expect<Equal<PaymentsError['retryable'], boolean>>,
  Expect<Equal<PaymentsValidationError['errors'], Readonly<Record<string, string[]>>>>,
  Expect<Equal<PaymentRejectedError['errors'], PaymentsValidationError['errors']>>,
  Expect<Equal<PaymentsErrorBody['errors'], PaymentsValidationError['errors'] | undefined>>,
  Expect<Equal<PaymentRejectedError['mayHaveBeenProcessed'], false>>,
  Expect<Equal<PaymentOutcomeUnknownError['retryable'], false>>,
  Expect<Equal<PaymentsRateLimitError['retryAfterMs'], number | undefined>>,
  Expect<
    Equal<
      OutcomeEvidence,
      | 'no-answer'
      | 'bad-answer'
      | 'server-error'
      | 'provider-error'
      | 'echo-mismatch'
      | 'duplicate-request'
      | 'duplicate-reference'
      | 'unlisted-code'
      | 'refused-after-ambiguity'
      | 'aborted'
      | 'in-flight'
      | 'interrupted'
      | 'conflict'
    >
  >,
  Expect<Equal<PaymentsErrorBody['mayHaveBeenProcessed'], boolean | 'not-by-this-call'>>,
  Expect<Equal<PaymentsErrorBody['final'], false | undefined>>,
  Expect<Equal<PaymentsError['mayHaveBeenProcessed'], boolean | 'not-by-this-call'>>,
  Expect<Equal<PaymentsStorageError['mayHaveBeenProcessed'], false | 'not-by-this-call'>>,
];

export const classes: readonly (abstract new (...args: never[]) => PaymentsError)[] = [
  GatewayUnreachableError,
  PaymentOutcomeUnknownError,
  PaymentRejectedError,
  PaymentsAuthenticationError,
  PaymentsConfigError,
  PaymentsError,
  PaymentsRateLimitError,
  PaymentsStorageError,
  PaymentsValidationError,
  ReferenceReusedError,
];

export const providers = [
  { provide: APP_INTERCEPTOR, useClass: PaymentsErrorInterceptor },
  {
    provide: PAYMENTS_ERROR_INTERCEPTOR_OPTIONS,
    useValue: { errorStatus: { INSUFFICIENT_BALANCE: 409 } } satisfies PaymentsErrorInterceptorOptions,
  },
];

/** As api.md documents them. */
export function messagesByField(
  error: PaymentsValidationError | PaymentRejectedError,
): Record<string, string[]> {
  const errors: Record<string, string[]> = error.errors;
  return errors;
}

export function tellApart(error: unknown): string | undefined {
  if (error instanceof PaymentOutcomeUnknownError) return error.evidence;
  if (error instanceof PaymentRejectedError) return error.errors['amount']?.[0];
  return isPaymentsError(error) ? error.idempotencyKey : undefined;
}
