import { describe, expect, it } from 'vitest';
import {
  chunkDigest,
  contentOf,
  digestOfChunks,
  isBatchName,
  lineFrom,
  maskedRecipient,
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
const PHONE = { key: 'S-2', name: 'Neema', amount: 300.5, phone: '0712 345 603', remarks: 'Overtime' };

describe('a line of a batch', () => {
  it('is read with an account or a phone', () => {
    expect(readLine(BANK)).toEqual({
      line: {
        key: 'S-1',
        name: 'Asha Mushi',
        amount: '1000.00',
        cents: 100_000,
        recipient: { kind: 'bank', bankCode: 'BSB', account: '0150234567801' },
      },
    });
    expect(readLine(PHONE)).toEqual({
      line: {
        key: 'S-2',
        name: 'Neema',
        amount: '300.50',
        cents: 30_050,
        recipient: { kind: 'mobile', phone: '255712345603' },
        remarks: 'Overtime',
      },
    });
    // The empty cells of a table.
    expect(readLine({ ...BANK, phone: '', remarks: '' })).toEqual(readLine(BANK));
  });

  it.each<readonly [string, Record<string, unknown>, readonly string[]]>([
    ['no key', { key: undefined }, ['key must be 1 to 64']],
    ['a key with a dot', { key: 'S.1' }, ['key must be']],
    ['a key of 65 letters', { key: 'x'.repeat(65) }, ['key must be']],
    ['no name', { name: '' }, ['name must be']],
    ['a name without a letter', { name: '=1+1' }, ['name must be']],
    ['a name of 256 letters', { name: 'x'.repeat(256) }, ['name must be']],
    ['separators', { amount: '1,000' }, ['amount must be a plain decimal']],
    ['nothing', { amount: '0' }, ['amount must be greater than 0']],
    ['an amount that is no number', { amount: Number.NaN }, ['amount must']],
    ['two recipients', { phone: '0712345678' }, ['write either bank_code and account_number, or phone']],
    ['no recipient', { bank_code: undefined, account_number: undefined }, ['write either']],
    ['a bank without an account', { account_number: undefined }, ['account_number must be 4 to 34']],
    ['an account of a spreadsheet', { account_number: '1.50235E+11' }, ['account_number must be']],
    ['an account that is a number', { account_number: 150234567801 }, ['account_number must be']],
    ['an account without a bank', { bank_code: '' }, ['bank_code must be']],
    ['remarks that are no text', { remarks: 7 }, ['remarks must be']],
    ['everything', { key: '', name: '', amount: '' }, ['key must', 'name must', 'amount must']],
  ])('is refused with %s, and no value is repeated', (_what, wrong, problems) => {
    const read = readLine({ ...BANK, ...wrong });
    if (!('problems' in read)) throw new Error('It was read.');
    expect(read.problems.map((problem, index) => problem.slice(0, problems[index]?.length))).toEqual(
      problems,
    );
  });

  it.each([undefined, null, 'S-1,Asha', 7, []])('is refused if it is %j', (given) => {
    expect(readLine(given)).toHaveProperty('problems');
  });

  it.each(['12', '+1 202 555 0100', 'Asha'])('is refused with the phone %s', (phone) => {
    const read = readLine({ ...PHONE, phone });
    expect(read).toEqual({ problems: [expect.stringContaining('phone must be a Tanzanian number')] });
  });

  it('is the same line after it was stored', () => {
    for (const given of [BANK, PHONE]) {
      const read = readLine(given);
      if (!('line' in read)) throw new Error('It was not read.');
      const { key, cents, ...rest } = read.line;
      expect(lineFrom(contentOf(read.line))).toEqual(rest);
      expect([key, cents]).toBeDefined();
    }
  });

  it('shows enough of its recipient to recognize it, and no more', () => {
    expect(maskedRecipient({ kind: 'bank', bankCode: 'BSB', account: '0150234567801' })).toBe('BSB ****801');
    expect(maskedRecipient({ kind: 'mobile', phone: '255712345603' })).toBe('****603');
  });
});

it.each([
  ['2026-11', true],
  ['A', true],
  ['x'.repeat(64), true],
  ['x'.repeat(65), false],
  ['', false],
  ['-a', false],
  ['a.b', false],
  ['a b', false],
  ['ä', false],
  ['a\n', false],
])('%j may name a batch: %s', (name, may) => {
  expect(isBatchName(name)).toBe(may);
});

it('a recipient has the same hash in every spelling of its account, and another one in another account', () => {
  const scope = { account: 'default', environment: 'sandbox' } as const;
  const bank = { kind: 'bank', bankCode: 'BSB', account: '015AB' } as const;
  const hashes = [
    recipientHash(scope, bank),
    recipientHash({ ...scope, account: 'other' }, bank),
    recipientHash({ ...scope, environment: 'production' }, bank),
    recipientHash(scope, { ...bank, bankCode: 'CCB' }),
    recipientHash(scope, { ...bank, account: '015AC' }),
    recipientHash(scope, { kind: 'mobile', phone: '015AB' }),
  ];
  expect(new Set(hashes).size).toBe(hashes.length);
  expect(recipientHash(scope, { ...bank, account: '015ab' })).toBe(hashes[0]);
});

it('a digest changes with every field of every line, and with their order', () => {
  const one = { number: 1, key: 'a', cents: 1, content: '{}' };
  const two = { number: 2, key: 'b', cents: 2, content: '{"a":1}' };
  const digests = [
    [one, two],
    [two, one],
    [one],
    [{ ...one, number: 3 }, two],
    [{ ...one, key: 'c' }, two],
    [{ ...one, cents: 3 }, two],
    [{ ...one, content: '{ }' }, two],
  ].map(chunkDigest);
  expect(new Set(digests).size).toBe(digests.length);
  expect(new Set([digestOfChunks(['a', 'b']), digestOfChunks(['b', 'a']), digestOfChunks(['a'])]).size).toBe(
    3,
  );
});
