import { describe, expect, it, vi } from 'vitest';
import { PaymentsValidationError } from '../../../lib/errors/payments-errors.js';
import { callLimits, checkCallOptions } from '../../../lib/gateway/call-options.js';

function errorsOf(options: unknown): unknown {
  try {
    checkCallOptions(options, 'banks.list');
    return undefined;
  } catch (error) {
    if (!(error instanceof PaymentsValidationError)) return error;
    expect(error.operation).toBe('banks.list');
    expect(error.message).toMatch(/^Nothing was sent: the request is wrong: options/);
    return error.errors;
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

  const KEY = 'must be 1 to 255 visible ASCII characters without spaces: leave it out, or write a UUID';
  const ATTEMPT =
    'must be a whole number from 1 to 2147483647: leave it out, or write the next one after a final refusal';
  const TIME = 'must be a whole number of milliseconds from 1 to 2147483647: write 30_000';
  const UNKNOWN = 'is not a call option: use idempotencyKey, attempt, signal, timeoutMs, deadlineMs, retry';

  const meant = (name: string): string => `is not a call option: did you mean \`options.${name}\`?`;

  it.each([
    [{ idempotencyKey: '' }, 'idempotencyKey', KEY],
    [{ idempotencyKey: 'a b' }, 'idempotencyKey', KEY],
    [{ idempotencyKey: 'a\r\nX-Evil: 1' }, 'idempotencyKey', KEY],
    [{ idempotencyKey: 'é' }, 'idempotencyKey', KEY],
    [{ idempotencyKey: 'a'.repeat(256) }, 'idempotencyKey', KEY],
    [{ idempotencyKey: 7 }, 'idempotencyKey', KEY],
    [{ attempt: 0 }, 'attempt', ATTEMPT],
    [{ attempt: 1.5 }, 'attempt', ATTEMPT],
    [{ attempt: '1' }, 'attempt', ATTEMPT],
    [{ attempt: 2_147_483_648 }, 'attempt', ATTEMPT],
    [{ signal: {} }, 'signal', 'must be an AbortSignal: write new AbortController().signal'],
    [{ timeoutMs: 0 }, 'timeoutMs', TIME],
    [{ timeoutMs: Number.NaN }, 'timeoutMs', TIME],
    [{ deadlineMs: -1 }, 'deadlineMs', TIME],
    [{ deadlineMs: 2 ** 31 }, 'deadlineMs', TIME],
    [{ retry: true }, 'retry', 'can only be false: leave it out to retry if that is safe'],
    [{ idempotencykey: 'x' }, 'idempotencykey', meant('idempotencyKey')],
    [{ idempotency_key: 'x' }, 'idempotency_key', meant('idempotencyKey')],
    [{ atempt: 2 }, 'atempt', meant('attempt')],
    [{ key: 'x' }, 'key', UNKNOWN],
    [{ toString: 1 }, 'toString', UNKNOWN],
  ])('are refused when they are %j', (options, field, problem) => {
    expect(errorsOf(options)).toEqual({ [field]: [`options.${field} ${problem}`] });
  });

  it('are not named if the call does not have them', () => {
    const check = (): unknown => checkCallOptions({ atempt: 2 }, 'banks.list', ['signal']);
    expect(check).toThrow('options.atempt is not a call option: use signal');
  });

  it.each([['text'], [[]], [null]])('must be an object, and not %j', (options) => {
    expect(errorsOf(options)).toEqual({
      options: ['options must be an object: write { timeoutMs: 10_000 }, or leave them out'],
    });
  });

  it('are all named in the error if several are wrong', () => {
    expect(Object.keys(errorsOf({ attempt: 0, retry: true, timeoutMs: 5 }) as object)).toEqual([
      'attempt',
      'retry',
    ]);
  });
});

describe('the limits of a call', () => {
  const retry = { maxAttempts: 3, baseMs: 100, maxMs: 2_000 } as never;
  const module = { timeoutMs: 10_000, deadlineMs: 30_000, retry };

  it("are the module's, and count from now", () => {
    vi.spyOn(performance, 'now').mockReturnValue(5_000);
    vi.spyOn(Date, 'now').mockReturnValue(1_000_000);
    try {
      expect(callLimits(module)).toEqual({
        signal: undefined,
        timeoutMs: 10_000,
        deadline: 35_000,
        wallDeadline: 1_030_000,
        sendBy: 34_000,
        retry,
        once: false,
      });
    } finally {
      vi.restoreAllMocks();
    }
  });

  it("are the call's own, if it has any, and a short call may start until half of its time is over", () => {
    vi.spyOn(performance, 'now').mockReturnValue(5_000);
    vi.spyOn(Date, 'now').mockReturnValue(1_000_000);
    const { signal } = new AbortController();
    try {
      expect(callLimits(module, { signal, timeoutMs: 300, deadlineMs: 800, retry: false })).toEqual({
        signal,
        timeoutMs: 300,
        deadline: 5_800,
        wallDeadline: 1_000_800,
        sendBy: 5_400,
        retry: { maxAttempts: 1, baseMs: 100, maxMs: 2_000 },
        once: true,
      });
    } finally {
      vi.restoreAllMocks();
    }
  });
});
