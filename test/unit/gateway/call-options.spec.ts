import { describe, expect, it } from 'vitest';
import { PaymentsValidationError } from '../../../lib/errors/payments-errors.js';
import { checkCallOptions } from '../../../lib/gateway/call-options.js';

function errorsOf(options: unknown): unknown {
  try {
    checkCallOptions(options, 'banks.list');
    return undefined;
  } catch (error) {
    return error instanceof PaymentsValidationError ? Object.keys(error.errors) : error;
  }
}

describe('the options of a call', () => {
  it('may be left out, and each of them may be undefined', () => {
    expect(checkCallOptions(undefined, 'banks.list')).toEqual({});
    expect(errorsOf({ signal: undefined, attempt: undefined, retry: undefined })).toBeUndefined();
  });

  it('are taken as they are when they are right', () => {
    const options = {
      idempotencyKey: '!~'.repeat(127),
      attempt: 2,
      signal: new AbortController().signal,
      timeoutMs: 1,
      deadlineMs: 2_147_483_647,
      retry: false,
    };
    expect(checkCallOptions(options, 'banks.list')).toEqual(options);
  });

  const wrong: [options: unknown, field: string][] = [
    [{ idempotencyKey: '' }, 'idempotencyKey'],
    [{ idempotencyKey: 'a b' }, 'idempotencyKey'],
    [{ idempotencyKey: 'a\r\nX-Evil: 1' }, 'idempotencyKey'],
    [{ idempotencyKey: 'é' }, 'idempotencyKey'],
    [{ idempotencyKey: 'a'.repeat(256) }, 'idempotencyKey'],
    [{ idempotencyKey: 7 }, 'idempotencyKey'],
    [{ attempt: 0 }, 'attempt'],
    [{ attempt: 1.5 }, 'attempt'],
    [{ attempt: '1' }, 'attempt'],
    [{ signal: {} }, 'signal'],
    [{ timeoutMs: 0 }, 'timeoutMs'],
    [{ timeoutMs: Number.NaN }, 'timeoutMs'],
    [{ deadlineMs: -1 }, 'deadlineMs'],
    [{ deadlineMs: 2 ** 31 }, 'deadlineMs'],
    [{ retry: true }, 'retry'],
    [{ idempotencykey: 'x' }, 'idempotencykey'],
    [{ toString: 1 }, 'toString'],
    ['text', 'options'],
    [[], 'options'],
    [null, 'options'],
  ];

  for (const [options, field] of wrong) {
    it(`are refused when they are ${JSON.stringify(options)}`, () => {
      expect(errorsOf(options)).toEqual([field]);
    });
  }
});
