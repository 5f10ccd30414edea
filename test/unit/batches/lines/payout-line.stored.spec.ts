import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { anyCodePoint } from '../../../support/any-code-point.js';
import {
  chunkDigest,
  contentOf,
  lineFrom,
  readLine,
  recipientHash,
} from '../../../../lib/batches/lines/payout-line.js';

const BANK = {
  key: 'S-1',
  name: 'Asha Mushi',
  amount: '1000',
  bank_code: 'BSB',
  account_number: '0150234567801',
};
const DIGITS = fc.stringMatching(/^\d{8}$/);
const NAME = fc.string({ unit: anyCodePoint, maxLength: 40 }).map((rest) => `Asha ${rest}`);

const ANY_LINE = fc.record({
  key: fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9_-]{0,20}$/),
  name: NAME,
  amount: fc.bigInt({ min: 1n, max: 10n ** 13n - 1n }),
  remarks: fc.option(fc.string({ unit: anyCodePoint, maxLength: 60 }), { nil: undefined }),
  to: fc.oneof(
    fc.record({ bank_code: fc.constantFrom('BSB', 'bsb', 'XYZ9'), account_number: DIGITS }),
    fc.record({ phone: DIGITS.map((digits) => `+255 7${digits}`) }),
  ),
});

describe('a line that is read', () => {
  it('is the same after it was stored, and when it is read again', () => {
    fc.assert(
      fc.property(ANY_LINE, ({ to, ...given }) => {
        const read = readLine({ ...given, ...to });
        if (!('line' in read)) throw new Error(read.problems.join());
        const { key, cents, ...rest } = read.line;
        expect(lineFrom(contentOf(read.line))).toEqual(rest);
        expect(Number.isSafeInteger(cents)).toBe(true);
        const { recipient, name, amount, remarks } = read.line;
        const again =
          recipient.kind === 'bank'
            ? { bank_code: recipient.bankCode, account_number: recipient.account }
            : { phone: recipient.phone };
        expect(readLine({ key, name, amount, remarks, ...again })).toEqual(read);
      }),
    );
  });

  it('changes the digest of its chunk with every field', () => {
    const changed = [
      {},
      { key: 'S-2' },
      { name: 'Asha Mushj' },
      { amount: '1000.01' },
      { bank_code: 'BSC' },
      { account_number: '0150234567802' },
      { remarks: 'x' },
      { bank_code: undefined, account_number: undefined, phone: '0712345678' },
      { bank_code: undefined, account_number: undefined, phone: '0712345679' },
    ];
    const digests = changed.map((change) => {
      const read = readLine({ ...BANK, ...change });
      if (!('line' in read)) throw new Error(read.problems.join());
      const { key, cents } = read.line;
      return chunkDigest([{ number: 1, key, cents, content: contentOf(read.line) }]);
    });
    expect(new Set(digests).size).toBe(changed.length);
  });

  it('has the code of its bank in capitals, so that two spellings are one recipient', () => {
    const scope = { account: 'default', environment: 'sandbox' } as const;
    const [one, other] = ['BSB', ' bsb '].map((bank_code) => {
      const read = readLine({ ...BANK, bank_code });
      return 'line' in read ? recipientHash(scope, read.line.recipient) : undefined;
    });
    expect(one).toBeDefined();
    expect(other).toBe(one);
  });

  it.each([
    ['blank remarks', { remarks: '  ' }, undefined],
    ['blanks around remarks', { remarks: ' November ' }, 'November'],
  ])('has of %s what can be read', (_what, change, remarks) => {
    expect(readLine({ ...BANK, ...change })).toEqual(readLine({ ...BANK, remarks }));
  });
});

it.each<readonly [string, object, string]>([
  ['a formula as a name', { name: '=HYPERLINK("x")' }, 'name must be'],
  ['a formula behind a blank', { name: ' +Asha' }, 'name must be'],
  ['half a character in the name', { name: 'Asha \ud83d' }, 'name must be'],
  ['half a character in the remarks', { remarks: '\ude00' }, 'remarks must be'],
  ['an account in the column of the bank', { bank_code: '0150234567801' }, 'bank_code must be'],
  ['a sentence as a bank', { bank_code: 'Bank of Asha' }, 'bank_code must be'],
])('a line with %s is refused, and its value is not repeated', (_what, change, problem) => {
  const read = readLine({ ...BANK, ...change });
  expect(read).toEqual({ problems: [expect.stringContaining(problem)] });
  expect(JSON.stringify(read)).not.toMatch(/Asha|01502|HYPER/);
});
