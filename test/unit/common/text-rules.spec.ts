import { expect, it } from '@jest/globals';
import { isEmail, validateSync } from 'class-validator';
import fc from 'fast-check';
import { IsEmailAddress } from '../../../lib/common/validation/text-rules.js';

class Request {
  @IsEmailAddress()
  email: unknown;
}

function isTaken(email: unknown): boolean {
  return validateSync(Object.assign(new Request(), { email })).length === 0;
}

const word = fc.string({
  unit: fc.constantFrom(...Array.from('azAZ019._+-@')),
  minLength: 1,
  maxLength: 40,
});

it('takes exactly the e-mail addresses that class-validator takes', () => {
  const almost = fc
    .tuple(word, word, fc.constantFrom('com', 'c', 'tz', 'co.tz', '1', 'x-y', ''))
    .map((parts) => {
      const [local, domain, top] = parts;
      return `${local}@${domain}.${top}`;
    });
  const taken = { yes: 0, no: 0 };
  fc.assert(
    fc.property(fc.oneof(almost, fc.emailAddress(), word, fc.anything()), (value) => {
      taken[isTaken(value) ? 'yes' : 'no'] += 1;
      expect(isTaken(value)).toBe(isEmail(value));
    }),
    { numRuns: 5_000 },
  );
  expect(Math.min(taken.yes, taken.no)).toBeGreaterThan(500);
});

it('judges an endless almost-address at once', () => {
  expect(isTaken(`${'a.'.repeat(100_000)}@`)).toBe(false);
  expect(isTaken(`a@${'a-'.repeat(100_000)}`)).toBe(false);
});
