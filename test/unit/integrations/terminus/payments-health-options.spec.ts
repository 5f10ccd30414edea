import { expect, it } from 'vitest';
import { resolveHealthOptions } from '../../../../lib/integrations/terminus/payments-health-options.js';

it('an age of the health indicator may be longer than any timer', () => {
  const maxUnresolvedAgeMs = 30 * 86_400_000;
  expect(resolveHealthOptions({ maxUnresolvedAgeMs })).toMatchObject({ maxUnresolvedAgeMs });
});

it('the wrong options of the health indicator are named in one error', () => {
  const wrong = { cacheMs: -1, gateway: 'yes', timeout: 5, age: undefined };
  expect(() => resolveHealthOptions(wrong as object)).toThrow(
    '4 options are wrong:\n' +
      '- PaymentsHealthIndicator option `timeout` does not exist: did you mean `timeoutMs`?\n' +
      '- PaymentsHealthIndicator option `age` does not exist: write one of account, gateway, cacheMs, timeoutMs, ' +
      'maxUnresolvedAgeMs, allAccounts.\n' +
      '- PaymentsHealthIndicator option `cacheMs` must be a whole number of milliseconds from 0 to 2147483647: write 30_000.\n' +
      '- PaymentsHealthIndicator option `gateway` must be true or false: write false, or leave it out.',
  );
});
