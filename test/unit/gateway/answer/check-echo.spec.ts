import { describe, expect, it } from 'vitest';
import { checkEcho } from '../../../../lib/gateway/answer/check-echo.js';

const payment = { reference: 'order-1', amount: '1180.50', currency: 'TZS' } as const;
const collection = { kind: 'collection', operation: 'collection.mobile-money', payment } as const;

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

  it('takes a numeric reference for the digits that were sent', () => {
    const numbered = { ...collection, payment: { ...payment, reference: '17' } };
    expect(checkEcho(numbered, { ...payment, reference: 17 }).differing).toEqual([]);
  });
});

const bankSent = { bank_code: 'ABC', account_number: '0150123456789', account_name: 'Juma Hamisi' };
const bank = { kind: 'disbursement', operation: 'disbursement.bank', payment, body: bankSent } as const;
const bankEcho = { ...payment, ...bankSent, fee: '10.00', total_amount: '1190.50' };

const HIDDEN_PHONE = /hides a part of recipient_phone/;
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
    warned: RegExp[],
  ][] = [
    ['to a bank, as it was sent', bank, {}, [], []],
    ['with the account in groups', bank, { account_number: '0150 1234-56789' }, [], []],
    ['with the account as a number', bank, { account_number: 150123456789 }, [], []],
    ['with another account as a number', bank, { account_number: 150123456780 }, ['account_number'], []],
    ['with another account', bank, { account_number: '0150123456780' }, ['account_number'], []],
    ['with an account that lost its zero', bank, { account_number: '150123456789' }, ['account_number'], []],
    ['with an account that is no text', bank, { account_number: ['0150123456789'] }, ['account_number'], []],
    [
      'with a part of the account',
      bank,
      { account_number: '*********6789' },
      [],
      [/hides a part of account_number/],
    ],
    [
      'with both ends of the account',
      bank,
      { account_number: '01XXXXXXX89' },
      [],
      [/hides a part of account_number/],
    ],
    [
      'with a hidden account',
      bank,
      { account_number: '*************' },
      [],
      [/hides a part of account_number/],
    ],
    [
      'with a mask that hides nothing',
      bank,
      { account_number: '0150123*456789' },
      [],
      [/hides a part of account_number/],
    ],
    ['with a part of another account', bank, { account_number: '*********6780' }, ['account_number'], []],
    [
      'with more than the account',
      bank,
      { account_number: '0150123456789*0150123456789' },
      ['account_number'],
      [],
    ],
    ['without the account', bank, { account_number: null }, [], [/does not repeat account_number/]],
    ['with the bank in another spelling', bank, { bank_code: 'ABC_BANK' }, [], [/another bank_code/]],
    ['with the bank in another case', bank, { bank_code: ' abc ' }, [], []],
    ['with another name', bank, { account_name: 'J. Hamisi' }, [], [/another account_name/]],
    ['with the name in capitals', bank, { account_name: 'JUMA  HAMISI' }, [], []],
    ['with another total', bank, { total_amount: 1190.51 }, [], [/total_amount is not the sum/]],
    ['with a total as a number', bank, { total_amount: 1190.5, fee: 10 }, [], []],
    ['without a fee', bank, { fee: undefined, total_amount: '9.00' }, [], []],
    ['to a phone, as it was sent', mobile, {}, [], []],
    ['with the phone as people write it', mobile, { recipient_phone: '+255 754 000 111' }, [], []],
    ['with the phone as a number', mobile, { recipient_phone: 255754000111 }, [], []],
    ['with a local phone', mobile, { recipient_phone: '0754000111' }, [], []],
    ['with another phone', mobile, { recipient_phone: '255754000112' }, ['recipient_phone'], []],
    [
      'with a part of the phone',
      mobile,
      { recipient_phone: '+255754***111' },
      [],
      [/hides a part of recipient_phone/],
    ],
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
      [/recipient_name/, /network/],
    ],
  ];

  it.each(rows)('%s', (_, call, change, differing, warned) => {
    const echo = checkEcho(call, { ...(call === bank ? bankEcho : mobileEcho), ...change });
    expect(echo.differing).toEqual(differing);
    expect(echo.warnings).toEqual(warned.map((text) => expect.stringMatching(text) as unknown));
  });

  it('differs where a number lost zeros other than the first ones', () => {
    const call = { ...bank, body: { ...bankSent, account_number: '1500123' } };
    expect(checkEcho(call, { ...bankEcho, account_number: 1500123 }).differing).toEqual([]);
    expect(checkEcho(call, { ...bankEcho, account_number: 15123 }).differing).toEqual(['account_number']);
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
