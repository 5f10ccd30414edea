import { expect, it } from 'vitest';
import { isEmail, validateSync } from 'class-validator';
import fc from 'fast-check';
import { NameLookupDto } from '../../../../lib/name-lookup/name-lookup.dto.js';
import {
  IsEmailAddress,
  IsReference,
  trimmedReference,
} from '../../../../lib/gateway/validation/field-rules.js';

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

it.each([
  ' a@example.com',
  'a@example.com.c9',
  `x1@${'a'.repeat(64)}.com`,
  `${'a'.repeat(65)}@example.com`,
  'c9..@9.com',
  'a.@example.com',
  'a@--.com',
  'a@b_c.com',
  'a@a.b--.com',
  'a@a.b.c',
  'a@1.2..',
  ['a@example.com'],
])('does not take %j', (value) => {
  expect(isEmail(value)).toBe(false);
  expect(isTaken(value)).toBe(false);
});

it('judges an endless almost-address at once', () => {
  expect(isTaken(`${'a.'.repeat(100_000)}@`)).toBe(false);
  expect(isTaken(`a@${'a-'.repeat(100_000)}`)).toBe(false);
});

const LONG = 1_000_000;

class Payment {
  @IsReference()
  reference: unknown;
}

function problemsOf(reference: unknown): readonly string[] {
  return validateSync(Object.assign(new Payment(), { reference })).flatMap(({ constraints = {} }) =>
    Object.values(constraints),
  );
}

// A look at every blank from every blank would take many minutes, and stop the whole process meanwhile.
it.each([' ', '\u200b'])('judges an endless reference of %j', (blank) => {
  const reference = `a${blank.repeat(LONG)}a`;
  expect(problemsOf(reference)).toEqual([expect.stringContaining('must be at most 255 bytes long')]);
  // A webhook may name one, too.
  expect(trimmedReference(reference)).toBe(reference);
  expect(trimmedReference(`${blank}${reference}${blank}`)).toBe(reference);
});

it.each<[what: string, reference: unknown, problem: string | undefined]>([
  ['a plain one', 'order-1', undefined],
  ['inner white space', 'order 1', undefined],
  ['255 bytes', 'é'.repeat(127) + 'e', undefined],
  ['256 bytes', 'é'.repeat(128), 'must be at most 255 bytes long'],
  ['none', undefined, 'is required and must be a string'],
  ['a number', 5, 'is required and must be a string'],
  ['an empty one', '', 'must not be blank'],
  ['a blank one', '  ', 'must not be blank'],
  ['half of an emoji', 'order-\ud83d', 'must be whole characters'],
  ['a line break within', 'order\n1', 'must not hold control characters'],
  ['a tab at its end', 'order-1\t', 'must not hold control characters'],
  ['white space before it', ' order-1', 'must not begin or end with white space'],
  ['an invisible character behind it', 'order-1\u200b', 'must not begin or end with white space'],
])('judges a reference: %s', (_, reference, problem) => {
  expect(problemsOf(reference)).toEqual(
    problem === undefined ? [] : [expect.stringMatching(new RegExp(`^reference ${problem}`)) as unknown],
  );
});

it.each(['', 'asha', 'asha@example', null, 5])('says how an e-mail address is written, not %j', (email) => {
  const [problem] = validateSync(Object.assign(new Request(), { email }));
  expect(Object.values(problem?.constraints ?? {})).toEqual([
    expect.stringContaining('is required and must be an e-mail address: write name@example.com'),
  ]);
});

it('the rules of a lookup have names', () => {
  const wrong = Object.assign(new NameLookupDto(), { bank_code: 5 });
  const names = validateSync(wrong).map(({ property, constraints = {} }) => [
    property,
    ...Object.keys(constraints),
  ]);
  expect(names).toEqual([
    ['channel', 'isLookupChannel'],
    ['account_number', 'isText'],
    ['bank_code', 'isBankCodeOfChannel'],
  ]);
});
