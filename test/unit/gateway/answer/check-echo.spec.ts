import { describe, expect, it } from 'vitest';
import { checkEcho } from '../../../../lib/gateway/answer/check-echo.js';

const payment = { reference: 'order-1', amount: '1180.50', currency: 'TZS' } as const;
const collection = { kind: 'collection', operation: 'collection.mobile-money', payment } as const;

const ROUNDED = [
  'the answer writes reference as a number that was rounded on its way: what can be read of it is as it was sent',
];

const check = (record: Record<string, unknown>) => checkEcho(collection, record);

describe('the echo of a payment', () => {
  const equal: [what: string, record: Record<string, unknown>][] = [
    ['as it was sent', { ...payment }],
    ['with the amount as a number', { ...payment, amount: 1180.5 }],
    ['with one decimal', { ...payment, amount: '1180.5' }],
    ['with spaces around the reference', { ...payment, reference: ' order-1 ' }],
  ];

  for (const [what, record] of equal) {
    it(`is the same ${what}`, () => {
      expect(check(record)).toEqual({ differing: [], warnings: [] });
    });
  }

  const different: [what: string, record: Record<string, unknown>, fields: string[]][] = [
    ['one cent less', { ...payment, amount: '1180.49' }, ['amount']],
    ['an amount that cannot be read', { ...payment, amount: '1,180.50' }, ['amount']],
    ['an amount that is no money', { ...payment, amount: {} }, ['amount']],
    ['another reference', { ...payment, reference: 'order-2' }, ['reference']],
    ['a reference in another case', { ...payment, reference: 'ORDER-1' }, ['reference']],
    ['a reference that is no text', { ...payment, reference: ['order-1'] }, ['reference']],
    ['another currency', { ...payment, currency: 'USD' }, ['currency']],
    ['everything', { reference: 'x', amount: 1, currency: 'KES' }, ['reference', 'amount', 'currency']],
  ];

  for (const [what, record, fields] of different) {
    it(`differs for ${what}`, () => {
      expect(check(record).differing).toEqual(fields);
    });
  }

  it('warns about a field that is absent, and does not call it different', () => {
    expect(check({ amount: null })).toEqual({
      differing: [],
      warnings: [
        'the answer does not repeat reference, so it could not be compared',
        'the answer does not repeat amount, so it could not be compared',
        'the answer does not repeat currency, so it could not be compared',
      ],
    });
  });

  it('is compared with a reference that was sent with white space around it', () => {
    const spaced = { ...collection, payment: { ...payment, reference: ' order-1 ' } };
    expect(checkEcho(spaced, { ...payment }).differing).toEqual([]);
  });

  it('of a collection says nothing about its total', () => {
    expect(check({ ...payment, fee: '10.00', total_amount: '9.00' })).toEqual({
      differing: [],
      warnings: [],
    });
  });

  it.each([
    ['17000000000000001', '17000000000000001', ROUNDED],
    ['17000000000000000', '17000000000000000', ROUNDED],
    ['9007199254740991', '9007199254740991', []],
  ])(
    'cannot compare the reference %s with the number %s if that was rounded',
    (reference, number, warnings) => {
      const numbered = { ...collection, payment: { ...payment, reference } };
      const record = { ...payment, reference: JSON.parse(number) as unknown };
      expect(checkEcho(numbered, record)).toEqual({ differing: [], warnings });
    },
  );

  it('differs for a number that no rounding makes of the reference', () => {
    const numbered = { ...collection, payment: { ...payment, reference: '17000000000000001' } };
    expect(checkEcho(numbered, { ...payment, reference: 17e16 }).differing).toEqual(['reference']);
  });

  it.each([
    [
      15_000_000_000_000_000,
      [],
      [
        'the answer writes account_number as a number that was rounded on its way: what can be read of it is as it was sent',
      ],
    ],
    [15_000_000_000_000_100, ['account_number'], []],
  ])('cannot compare a long account with the number %s', (account_number, differing, warnings) => {
    const body = { bank_code: 'ABC', account_number: '01500-0000-0000-00001', account_name: 'Juma Hamisi' };
    const call = { ...bank, body };
    const echo = { ...bankEcho, account_number };
    expect(checkEcho(call, echo)).toEqual({ differing, warnings });
  });

  it('takes a numeric reference for the digits that were sent', () => {
    const numbered = { ...collection, payment: { ...payment, reference: '17' } };
    expect(checkEcho(numbered, { ...payment, reference: 17 }).differing).toEqual([]);
  });
});

const bankSent = { bank_code: 'ABC', account_number: '0150123456789', account_name: 'Juma Hamisi' };
const bank = { kind: 'disbursement', operation: 'disbursement.bank', payment, body: bankSent } as const;
const bankEcho = { ...payment, ...bankSent, fee: '10.00', total_amount: '1190.50' };

const NO_SUM = 'total_amount is not the sum of amount and fee';
const HIDDEN_PHONE = 'the answer hides a part of recipient_phone; the rest is as it was sent';
const HIDDEN_ACCOUNT = 'the answer hides a part of account_number; the rest is as it was sent';
const mobileSent = { recipient_phone: '255754000111', recipient_name: 'Neema Ali', network: 'NET_ONE' };
const mobile = {
  kind: 'disbursement',
  operation: 'disbursement.mobile-money',
  payment,
  body: mobileSent,
} as const;
const mobileEcho = { ...payment, ...mobileSent };

describe('the echo of a payout', () => {
  const rows: [
    what: string,
    call: typeof bank | typeof mobile,
    echo: object,
    differing: string[],
    warned: string[],
  ][] = [
    ['to a bank, as it was sent', bank, {}, [], []],
    ['with the account in groups', bank, { account_number: '0150 1234-56789' }, [], []],
    ['with the account as a number', bank, { account_number: 150123456789 }, [], []],
    ['with another account as a number', bank, { account_number: 150123456780 }, ['account_number'], []],
    ['with another account', bank, { account_number: '0150123456780' }, ['account_number'], []],
    ['with an account that lost its zero', bank, { account_number: '150123456789' }, ['account_number'], []],
    ['with an account that is no text', bank, { account_number: ['0150123456789'] }, ['account_number'], []],
    ['with a part of the account', bank, { account_number: '*********6789' }, [], [HIDDEN_ACCOUNT]],
    ['with both ends of the account', bank, { account_number: '01XXXXXXX89' }, [], [HIDDEN_ACCOUNT]],
    ['with a hidden account', bank, { account_number: '*************' }, [], [HIDDEN_ACCOUNT]],
    ['with a mask that hides nothing', bank, { account_number: '0150123*456789' }, [], [HIDDEN_ACCOUNT]],
    ['with a part of another account', bank, { account_number: '*********6780' }, ['account_number'], []],
    [
      'with more than the account',
      bank,
      { account_number: '0150123456789*0150123456789' },
      ['account_number'],
      [],
    ],
    [
      'without the account',
      bank,
      { account_number: null },
      [],
      ['the answer does not repeat account_number, so it could not be compared'],
    ],
    [
      'with the bank in another spelling',
      bank,
      { bank_code: 'ABC_BANK' },
      [],
      ['the answer names another bank_code than was sent'],
    ],
    ['with the bank in another case', bank, { bank_code: ' abc ' }, [], []],
    [
      'with another name',
      bank,
      { account_name: 'J. Hamisi' },
      [],
      ['the answer names another account_name than was sent'],
    ],
    ['with the name in capitals', bank, { account_name: 'JUMA  HAMISI' }, [], []],
    ['with another total', bank, { total_amount: 1190.51 }, [], [NO_SUM]],
    ['with a total as a number', bank, { total_amount: 1190.5, fee: 10 }, [], []],
    ['without a fee', bank, { fee: undefined, total_amount: '9.00' }, [], []],
    ['without a total', bank, { total_amount: undefined }, [], []],
    [
      'without an amount',
      bank,
      { amount: null },
      [],
      ['the answer does not repeat amount, so it could not be compared'],
    ],
    ['with an amount that nobody can read', bank, { amount: 'much' }, ['amount'], []],
    ['with two parts of the account', bank, { account_number: '01***345***89' }, [], [HIDDEN_ACCOUNT]],
    ['with two parts of another account', bank, { account_number: '01***345***80' }, ['account_number'], []],
    [
      'with the account behind a mask of dots',
      bank,
      { account_number: '••••••••• 6789' },
      [],
      [HIDDEN_ACCOUNT],
    ],
    [
      'with the account behind a mask of crosses',
      bank,
      { account_number: '#########6789' },
      [],
      [HIDDEN_ACCOUNT],
    ],
    [
      'with the account behind a mask of letters',
      bank,
      { account_number: 'xxxxxxxxx6789' },
      [],
      [HIDDEN_ACCOUNT],
    ],
    ['with an empty account', bank, { account_number: '' }, ['account_number'], []],
    ['with the start of the account', bank, { account_number: '0150123' }, ['account_number'], []],
    [
      'with a name that is no text',
      bank,
      { account_name: { first: 'Juma' } },
      [],
      ['the answer names another account_name than was sent'],
    ],
    [
      'with the name in one word',
      bank,
      { account_name: 'JumaHamisi' },
      [],
      ['the answer names another account_name than was sent'],
    ],
    ['with white space around the name', bank, { account_name: ' Juma\tHamisi ' }, [], []],
    ['to a phone, as it was sent', mobile, {}, [], []],
    ['with the phone as people write it', mobile, { recipient_phone: '+255 754 000 111' }, [], []],
    ['with the phone in groups with dots', mobile, { recipient_phone: '255.754.000.111' }, [], []],
    ['with a zero in brackets', mobile, { recipient_phone: '+255 (0) 754 000 111' }, [], []],
    ['with a phone that is no text', mobile, { recipient_phone: ['255754000111'] }, ['recipient_phone'], []],
    [
      'with white space before a part of the local phone',
      mobile,
      { recipient_phone: ' 0754***111 ' },
      [],
      [HIDDEN_PHONE],
    ],
    ['with the phone as a number', mobile, { recipient_phone: 255754000111 }, [], []],
    ['with a local phone', mobile, { recipient_phone: '0754000111' }, [], []],
    ['with another phone', mobile, { recipient_phone: '255754000112' }, ['recipient_phone'], []],
    ['with a part of the phone', mobile, { recipient_phone: '+255754***111' }, [], [HIDDEN_PHONE]],
    ['with a part of the local phone', mobile, { recipient_phone: '0754***111' }, [], [HIDDEN_PHONE]],
    [
      'with a part of the local phone in groups',
      mobile,
      { recipient_phone: '0754 *** 111' },
      [],
      [HIDDEN_PHONE],
    ],
    ['with all but the first digits hidden', mobile, { recipient_phone: '07XXXXXXXX' }, [], [HIDDEN_PHONE]],
    ['with all but the zero hidden', mobile, { recipient_phone: '0*********' }, [], [HIDDEN_PHONE]],
    ['with the first zero hidden', mobile, { recipient_phone: '***4000111' }, [], [HIDDEN_PHONE]],
    ['with 00255 and a part', mobile, { recipient_phone: '00255754***111' }, [], [HIDDEN_PHONE]],
    [
      'with a part of another local phone',
      mobile,
      { recipient_phone: '0755***111' },
      ['recipient_phone'],
      [],
    ],
    [
      'with the end of another local phone',
      mobile,
      { recipient_phone: '0754***112' },
      ['recipient_phone'],
      [],
    ],
    [
      'with more than the local phone',
      mobile,
      { recipient_phone: '0754000*4000111' },
      ['recipient_phone'],
      [],
    ],
    ['with a zero that is no local one', mobile, { recipient_phone: '0255***111' }, ['recipient_phone'], []],
    [
      'with a part of an account in the local form',
      bank,
      { account_number: '0255***789' },
      ['account_number'],
      [],
    ],
    [
      'with another network and name',
      mobile,
      { network: 'NET_TWO', recipient_name: 'N.' },
      [],
      [
        'the answer names another recipient_name than was sent',
        'the answer names another network than was sent',
      ],
    ],
  ];

  it.each(rows)('%s', (_, call, change, differing, warned) => {
    const echo = checkEcho(call, { ...(call === bank ? bankEcho : mobileEcho), ...change });
    expect(echo).toEqual({ differing, warnings: warned });
  });

  it('differs if a number lost zeros other than the first ones', () => {
    const call = { ...bank, body: { ...bankSent, account_number: '1500123' } };
    expect(checkEcho(call, { ...bankEcho, account_number: 1500123 }).differing).toEqual([]);
    expect(checkEcho(call, { ...bankEcho, account_number: 15123 }).differing).toEqual(['account_number']);
  });

  it('is the same if a number lost the first zeros of an account, and differs if a text lost them', () => {
    const call = { ...bank, body: { ...bankSent, account_number: '00150' } };
    expect(checkEcho(call, { ...bankEcho, account_number: 150 }).differing).toEqual([]);
    expect(checkEcho(call, { ...bankEcho, account_number: '150' }).differing).toEqual(['account_number']);
  });

  it('says nothing of what was sent', () => {
    const { warnings } = checkEcho(bank, {
      ...bankEcho,
      account_number: '***',
      account_name: 'Other',
      bank_code: 'X',
    });
    expect(warnings.join()).not.toMatch(/0150|Juma|Other|ABC/);
  });
});

// A look at every position from every position would take minutes, and stop the whole process meanwhile.
it('compares an account of 200,000 digits in one pass', () => {
  const echo = { ...bankEcho, account_number: '1'.repeat(200_000) };
  expect(checkEcho(bank, echo).differing).toEqual(['account_number']);
});
