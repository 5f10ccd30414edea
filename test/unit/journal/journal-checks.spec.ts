import { describe, expect, it } from 'vitest';
import { checkOptions } from '../../../lib/journal/journal-checks.js';

describe('the options of a method of the journal', () => {
  it.each([
    ['waitForOutcome', { timeoutMs: 1 }],
    ['waitForOutcome', { timeoutMs: 1, signal: undefined }],
    ['waitForOutcome', { timeoutMs: 1, signal: new AbortController().signal }],
    ['unresolved', {}],
    ['unresolved', { olderThanMs: 0 }],
    ['unresolved', { olderThanMs: 86_400_000 * 400 }],
    ['settle', {}],
    ['settle', { attempt: 2, failedAt: 5 }],
    ['reseal', { signal: new AbortController().signal }],
  ] as const)('of %s() may be %j', (method, options) => {
    expect(() => {
      checkOptions(method, options);
    }).not.toThrow();
  });

  it.each([
    ['waitForOutcome', undefined, 'options must be an object with timeoutMs and signal'],
    ['waitForOutcome', null, 'options must be an object with timeoutMs and signal'],
    ['waitForOutcome', 1000, 'options must be an object with timeoutMs and signal'],
    ['waitForOutcome', {}, 'options.timeoutMs must be a whole number of milliseconds'],
    ['waitForOutcome', { timeoutMs: 1, signal: new AbortController() }, 'write new AbortController().signal'],
    ['waitForOutcome', { timeoutMs: 1, sginal: 1 }, 'sginal does not exist: did you mean `signal`?'],
    ['unresolved', null, 'options must be an object with olderThanMs'],
    [
      'unresolved',
      { olderThanMs: NaN },
      'options.olderThanMs must be a whole number of milliseconds, 0 or more',
    ],
    ['unresolved', { olderThanMs: '5' }, 'options.olderThanMs must be'],
    ['unresolved', { olderThanMs: -1 }, 'options.olderThanMs must be'],
    ['unresolved', { olderthanMs: 5 }, 'olderthanMs does not exist: did you mean `olderThanMs`?'],
    ['settle', null, 'options must be an object with attempt'],
    ['settle', { attempt: '2' }, 'options.attempt must be the number of an attempt'],
    ['settle', { attempt: 0 }, 'options.attempt must be the number of an attempt'],
    ['settle', { attemp: 2 }, 'attemp does not exist: did you mean `attempt`?'],
    ['settle', { constructor: 2 }, 'constructor does not exist: write attempt.'],
    ['reseal', { signal: {} }, 'options.signal must be an AbortSignal'],
  ] as const)('of %s() may not be %j', (method, options, problem) => {
    expect(() => {
      checkOptions(method, options, 'order-1');
    }).toThrow(
      expect.objectContaining({
        name: 'PaymentsValidationError',
        reference: 'order-1',
        message: expect.stringContaining(problem) as unknown,
      }) as Error,
    );
  });
});
