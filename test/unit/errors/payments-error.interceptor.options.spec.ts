import { lastValueFrom, throwError } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { type ExecutionContext } from '@nestjs/common';
import * as payments from '../../../lib/index.js';
import * as sandbox from '../../../lib/sandbox/index.js';

const { PaymentsConfigError, PaymentsError, PaymentsErrorInterceptor } = payments;

function refusalOf(errorStatus: unknown): unknown {
  try {
    return new PaymentsErrorInterceptor({ errorStatus } as payments.PaymentsErrorInterceptorOptions);
  } catch (error) {
    return error;
  }
}

describe('the option errorStatus', () => {
  it.each([4090, 40, 399, 600, 422.5, Number.NaN, '409', null, true, {}])(
    'refuses the status %j at boot, and says what to write',
    (status) => {
      const error = refusalOf({ INSUFFICIENT_BALANCE: status });
      expect(error).toBeInstanceOf(PaymentsConfigError);
      expect((error as Error).message).toBe(
        'The option `errorStatus.INSUFFICIENT_BALANCE` of PaymentsErrorInterceptor must be an HTTP status: write a whole number from 400 to 599.',
      );
    },
  );

  it.each([
    ['PaymentOutcomeUnknowError', '`errorStatus.PaymentOutcomeUnknownError`'],
    ['paymentRejectedError', '`errorStatus.PaymentRejectedError`'],
  ])('refuses the misspelled class %s, and names the one that was meant', (name, meant) => {
    const error = refusalOf({ [name]: 409 });
    expect(error).toBeInstanceOf(PaymentsConfigError);
    expect((error as Error).message).toContain(
      `\`errorStatus.${name}\` of PaymentsErrorInterceptor does not exist: did you mean ${meant}?`,
    );
  });

  it.each(['TypeError', 'CardDeclinedError', 'Error'])(
    'refuses %s, which is no class of the package',
    (name) => {
      const error = refusalOf({ [name]: 409 });
      expect(error).toBeInstanceOf(PaymentsConfigError);
      expect((error as Error).message).toContain('write the name of a class of this package, or a code.');
    },
  );

  it('names everything that is wrong', () => {
    const { message } = refusalOf({ PaymentRejectError: 409, A: 1, B: '2', C: 404 }) as Error;
    expect(message).toContain('3 options are wrong');
    for (const name of ['PaymentRejectError', 'A', 'B']) expect(message).toContain(`\`errorStatus.${name}\``);
  });

  it('refuses a misspelled class although its status is left out today', () => {
    expect(refusalOf({ PaymentRejectError: undefined })).toBeInstanceOf(PaymentsConfigError);
  });

  it.each([409, 'PaymentRejectedError', [409]])('refuses %j, which is no object', (errorStatus) => {
    expect(refusalOf(errorStatus)).toBeInstanceOf(PaymentsConfigError);
  });

  it.each([undefined, null, {}, { SOME_CODE: undefined }, { 'any code at all': 400, E_1: 599 }])(
    'takes %j',
    (errorStatus) => {
      expect(refusalOf(errorStatus)).toBeInstanceOf(PaymentsErrorInterceptor);
    },
  );

  it('takes every class of the package, by the name that its errors have', async () => {
    const names = Object.entries({ ...payments, ...sandbox }).flatMap(([name, value]) =>
      typeof value === 'function' && (value === PaymentsError || value.prototype instanceof PaymentsError)
        ? [name]
        : [],
    );
    expect(names.length).toBeGreaterThan(15);
    for (const name of names) {
      const interceptor = new PaymentsErrorInterceptor({ errorStatus: { [name]: 418 } });
      const error = Object.assign(new PaymentsError('A_CODE', 'no'), { name });
      const failing = { handle: () => throwError(() => error) };
      const answer = lastValueFrom(interceptor.intercept({} as ExecutionContext, failing));
      await expect(answer).rejects.toMatchObject({ status: 418 });
    }
  });
});
