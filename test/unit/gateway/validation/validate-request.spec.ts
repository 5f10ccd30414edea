import { describe, expect, it } from 'vitest';
import { ValidationPipe } from '@nestjs/common';
import {
  MobileMoneyCollectionDto,
  PartnerWalletCollectionDto,
} from '../../../../lib/collections/collection.dto.js';
import { type MoneyInput } from '../../../../lib/common/money.js';
import { type ResolvedLimits } from '../../../../lib/config/resolved-options.js';
import { BankDisbursementDto } from '../../../../lib/disbursements/bank-disbursement.js';
import { MobileMoneyDisbursementDto } from '../../../../lib/disbursements/mobile-money-disbursement.js';
import { PaymentsValidationError } from '../../../../lib/errors/payments-errors.js';
import { NameLookupDto } from '../../../../lib/name-lookup/name-lookup.dto.js';
import { validateRequest } from '../../../../lib/gateway/validation/validate-request.js';
import { type RequestClass } from '../../../../lib/gateway/validation/field-rules.js';
import { bankRequest, collectionRequest, mobileRequest } from '../../../support/gateway-answers.js';

type AllowedLimits = Pick<ResolvedLimits, 'minCents' | 'maxCents' | 'perDay'>;

const lookupRequest = { channel: 'BANK', account_number: '015', bank_code: 'ABC' };

function check(
  requestClass: RequestClass<object>,
  request: unknown,
  allowed?: Parameters<typeof validateRequest>[3],
): Record<string, readonly string[]> {
  try {
    validateRequest(requestClass, request, 'banks.list', allowed);
    return {};
  } catch (error) {
    if (!(error instanceof PaymentsValidationError)) throw error;
    expect(error.message).toMatch(/^Nothing was sent: the request is wrong: /);
    return error.errors;
  }
}

const valid: [requestClass: RequestClass<object>, request: Record<string, unknown>][] = [
  [MobileMoneyCollectionDto, collectionRequest],
  [PartnerWalletCollectionDto, collectionRequest],
  [BankDisbursementDto, bankRequest],
  [MobileMoneyDisbursementDto, mobileRequest],
  [NameLookupDto, lookupRequest],
];

for (const [requestClass, request] of valid) {
  describe(`a ${requestClass.name}`, () => {
    it('is taken as a plain object and as an instance', () => {
      expect(check(requestClass, request)).toEqual({});
      expect(check(requestClass, Object.assign(new requestClass(), request))).toEqual({});
      expect(check(requestClass, Object.assign(Object.create(null) as object, request))).toEqual({});
    });

    for (const field of Object.keys(request)) {
      for (const bad of [undefined, null, '', '  ', {}, [], true]) {
        it(`is refused when ${field} is ${bad === undefined ? 'missing' : JSON.stringify(bad)}, and says so once`, () => {
          const errors = check(requestClass, { ...request, [field]: bad });
          expect(Object.keys(errors)).toEqual([field]);
          expect(errors[field]).toEqual([expect.stringMatching(new RegExp(`^${field} `))]);
        });
      }
    }

    it('is refused with a field that the specification does not have', () => {
      expect(check(requestClass, { ...request, colour: 1 })).toEqual({
        colour: [
          'colour is not a field of this request: remove it, or put it into metadata if the request has one',
        ],
      });
    });

    it('works as a body type under a strict ValidationPipe', async () => {
      const pipe = new ValidationPipe({ whitelist: true, forbidNonWhitelisted: true, transform: true });
      const metadata = { type: 'body', metatype: requestClass } as const;
      const body = JSON.parse(
        JSON.stringify({ ...request, ...('amount' in request && { amount: '5000' }) }),
      ) as object;
      const dto: unknown = await pipe.transform(body, metadata);
      expect(dto).toBeInstanceOf(requestClass);
      expect(dto).toEqual(Object.assign(new requestClass(), body));
      await expect(pipe.transform({ ...body, extra: 1 }, metadata)).rejects.toThrow('Bad Request');
      await expect(pipe.transform({}, metadata)).rejects.toThrow('Bad Request');
    });
  });
}

describe('a field that the request does not have', () => {
  it.each([
    [MobileMoneyCollectionDto, { ...collectionRequest, metdata: {} }, 'metdata', 'metadata'],
    [MobileMoneyCollectionDto, { ...collectionRequest, phone: undefined, Phone: '1' }, 'Phone', 'phone'],
    [
      PartnerWalletCollectionDto,
      { ...collectionRequest, customer_name: undefined, customerName: 'Asha' },
      'customerName',
      'customer_name',
    ],
    [
      BankDisbursementDto,
      { ...bankRequest, account_number: undefined, accountNumber: '0150' },
      'accountNumber',
      'account_number',
    ],
    [
      MobileMoneyDisbursementDto,
      { ...mobileRequest, recipient_phone: undefined, recipientPhone: '1' },
      'recipientPhone',
      'recipient_phone',
    ],
    [NameLookupDto, { ...lookupRequest, bank_code: undefined, bankCode: 'ABC' }, 'bankCode', 'bank_code'],
  ])('of a %o is refused with the one that is meant', (requestClass, request, field, meant) => {
    expect(check(requestClass, request)).toMatchObject({
      [field]: [`${field} is not a field of this request: did you mean \`${meant}\`?`],
    });
  });

  it('is not taken for one that the request has already', () => {
    const { colour: expected } = check(BankDisbursementDto, { ...bankRequest, colour: 1 });
    const { ammount } = check(BankDisbursementDto, { ...bankRequest, ammount: '17' });
    expect(ammount).toEqual([expected?.[0]?.replace('colour', 'ammount')]);
  });
});

describe('what is no request', () => {
  for (const [what, request] of [
    ['nothing', undefined],
    ['null', null],
    ['an array', [collectionRequest]],
    ['a string', 'pay'],
    ['a number', 17],
    ['a function', () => collectionRequest],
  ] as const) {
    it(`${what} is refused with a clear message`, () => {
      expect(check(MobileMoneyCollectionDto, request)).toEqual({
        request: ['the request must be an object: write { … } with the fields of MobileMoneyCollectionDto'],
      });
    });
  }

  it('a getter is refused, because its value could change before sending', () => {
    const request = {
      ...collectionRequest,
      get amount() {
        return '1';
      },
    };
    expect(check(MobileMoneyCollectionDto, request)).toEqual({
      amount: ['amount must be a plain value: it is a getter, whose value could change before sending'],
    });
  });

  it('a getter in metadata is refused for the same reason', () => {
    const metadata = {
      get order() {
        return 17;
      },
    };
    expect(check(MobileMoneyCollectionDto, { ...collectionRequest, metadata })).toEqual({
      metadata: [
        'metadata must hold only strings, finite numbers, booleans, null, arrays and plain objects: turn dates, bigints and class instances into strings',
      ],
    });
  });

  it('a __proto__ field is refused and changes no prototype', () => {
    const request = JSON.parse('{"__proto__":{"amount":"1"}}') as object;
    expect(check(MobileMoneyCollectionDto, Object.assign(request, collectionRequest))).toEqual({
      request: ['the request must not have a field named __proto__: remove it'],
    });
    expect(({} as Record<string, unknown>)['amount']).toBeUndefined();
  });

  it('a field that is undefined is left out, even if the specification does not have it', () => {
    expect(check(MobileMoneyCollectionDto, { ...collectionRequest, ammount: undefined })).toEqual({});
  });

  it('inherited fields do not count', () => {
    const inherited = Object.create(collectionRequest) as object;
    expect(Object.keys(check(MobileMoneyCollectionDto, inherited))).toContain('amount');
  });
});

describe('the rules of the fields', () => {
  const rules: [requestClass: RequestClass<object>, field: string, good: unknown[], bad: unknown[]][] = [
    [
      MobileMoneyCollectionDto,
      'amount',
      ['0.01', 1, 1180.5, 5n, '9999999999999.99'],
      [
        0,
        '0',
        -1,
        '-1',
        0.001,
        0.1 + 0.2,
        1e21,
        '1e3',
        '1,000',
        ' 1',
        '10000000000000',
        Number.NaN,
        Infinity,
        0n,
      ],
    ],
    [
      MobileMoneyCollectionDto,
      'phone',
      ['255712345678'],
      [
        '+255712345678',
        '0712345678',
        '25571234567',
        '2557123456789',
        '255 712 345 678',
        '٢٥٥712345678',
        255712345678,
        '255712345678\n',
      ],
    ],
    [MobileMoneyCollectionDto, 'customer_email', ['a@b.co'], ['a', 'a@', 'a@b', '@b.co', 'a b@c.co', 17]],
    [MobileMoneyCollectionDto, 'currency', [undefined, 'TZS'], ['tzs', 'USD', '', null, 1]],
    [
      MobileMoneyCollectionDto,
      'reference',
      ['a', 'x'.repeat(255), 'é'.repeat(127)],
      ['x'.repeat(256), 'é'.repeat(128), '\t\n', 17, '\ud800'],
    ],
    [
      MobileMoneyCollectionDto,
      'metadata',
      [undefined, {}, { a: { b: [1, 'x', null, true] } }, { left: undefined }],
      [
        null,
        [],
        'x',
        1,
        { a: 1n },
        { a: new Date(0) },
        { a: Number.NaN },
        { a: () => 1 },
        { a: Symbol('x') },
        new Map(),
        circular(),
      ],
    ],
    [
      MobileMoneyDisbursementDto,
      'network',
      ['NET', 'NET_ONE', 'N2'],
      ['net_one', 'NET ONE', 'NET-ONE', '_NET', 'NET_', 'NET__ONE', '2NET', ''],
    ],
    [MobileMoneyDisbursementDto, 'recipient_phone', ['255712345678'], ['0712345678']],
    [BankDisbursementDto, 'account_number', ['0150'], [150, '']],
    [NameLookupDto, 'channel', ['BANK', 'MOBILE_MONEY', 'PARTNERPESA'], ['bank', 'CASH', 'toString', 1]],
  ];

  for (const [requestClass, field, good, bad] of rules) {
    const request = valid.find(([each]) => each === requestClass)?.[1];
    it(`${field} of ${requestClass.name} may be what the specification allows`, () => {
      for (const value of good) expect(check(requestClass, { ...request, [field]: value })).toEqual({});
    });
    it(`${field} of ${requestClass.name} may be nothing else`, () => {
      for (const value of bad) {
        const errors = check(requestClass, { ...request, [field]: value });
        expect(Object.keys(errors)).toEqual([field]);
      }
    });
  }

  it('a lookup needs a bank code for a bank only', () => {
    const wallet = { channel: 'MOBILE_MONEY', account_number: '255712345678' };
    expect(check(NameLookupDto, wallet)).toEqual({});
    expect(Object.keys(check(NameLookupDto, { ...wallet, bank_code: '' }))).toEqual(['bank_code']);
    expect(check(NameLookupDto, { ...wallet, channel: 'BANK' })).toEqual({
      bank_code: ['bank_code is required when channel is BANK: write a code from BanksService.list()'],
    });
  });
});

describe('the messages', () => {
  it('never repeat what was written', () => {
    const personal = {
      phone: '+255 799 888 777',
      customer_name: '  ',
      customer_email: 'asha.juma.at.home',
      reference: 'x'.repeat(300),
      amount: '987,654',
      currency: 'KES',
      metadata: ['private'],
    };
    const messages = Object.values(check(MobileMoneyCollectionDto, personal)).flat().join();
    for (const value of ['799', 'asha', 'xxx', '987', 'KES', 'private'])
      expect(messages).not.toContain(value);
  });
});

describe('limits', () => {
  const limits = { minCents: 100_00n, maxCents: 200_00n, perDay: undefined };
  const TOO_SMALL = "amount must be at least 100.00, the limit in the module's options";
  const TOO_LARGE = "amount must be at most 200.00, the limit in the module's options";
  const limited = (amount: MoneyInput, allowed: AllowedLimits) =>
    check(BankDisbursementDto, { ...bankRequest, amount }, { limits: allowed });

  it.each([
    ['100.00', {}],
    [100, {}],
    [200n, {}],
    ['200.00', {}],
    ['99.99', { amount: [TOO_SMALL] }],
    [1, { amount: [TOO_SMALL] }],
    ['200.01', { amount: [TOO_LARGE] }],
    [201n, { amount: [TOO_LARGE] }],
  ])('are both inclusive, and name the one that %s passes', (amount, errors) => {
    expect(limited(amount, limits)).toEqual(errors);
  });

  it('bound one side if only one is set, and nothing if none is', () => {
    const lower = { minCents: 100_00n, maxCents: undefined, perDay: undefined };
    const upper = { minCents: undefined, maxCents: 200_00n, perDay: undefined };
    expect(limited('99.99', lower)).toEqual({ amount: [TOO_SMALL] });
    expect(limited('9999999999999.99', lower)).toEqual({});
    expect(limited('0.01', upper)).toEqual({});
    expect(limited('200.01', upper)).toEqual({ amount: [TOO_LARGE] });
    expect(limited('0.01', { minCents: undefined, maxCents: undefined, perDay: undefined })).toEqual({});
  });
});

describe('validateRequest()', () => {
  const validated = (request: object) =>
    validateRequest(MobileMoneyCollectionDto, request, 'collection.mobile-money');

  it('returns a copy in the class of the request', () => {
    const request = { ...collectionRequest, currency: undefined };
    const dto = validated(request);
    expect(dto).toBeInstanceOf(MobileMoneyCollectionDto);
    expect(dto).not.toBe(request);
    expect(dto).toEqual(Object.assign(new MobileMoneyCollectionDto(), collectionRequest));
  });

  it('names the operation in its error', () => {
    expect(() => validated({})).toThrow(expect.objectContaining({ operation: 'collection.mobile-money' }));
  });

  it('leaves a hidden field hidden, and lets it be changed', () => {
    const hidden = Object.defineProperty({ ...collectionRequest }, 'amount', {
      enumerable: false,
      writable: false,
    });
    expect(Object.getOwnPropertyDescriptor(validated(Object.freeze(hidden)), 'amount')).toEqual({
      value: '1180.50',
      enumerable: false,
      writable: true,
      configurable: true,
    });
  });

  it("compares a request with the module's options only if the fields themselves are fine", () => {
    const limits = { minCents: 1_000n, maxCents: undefined, perDay: undefined };
    const validate = (request: object) => () =>
      validateRequest(MobileMoneyCollectionDto, request, 'collection.mobile-money', { limits });
    const small = { ...collectionRequest, amount: '7.00' };
    const wrong = (fields: readonly string[]): unknown =>
      expect.objectContaining({
        errors: Object.fromEntries(fields.map((field) => [field, [expect.any(String)]])),
      });
    expect(validate(collectionRequest)()).toMatchObject(collectionRequest);
    expect(validate({ ...small, phone: '0712' })).toThrow(wrong(['phone']));
    expect(validate([])).toThrow(wrong(['request']));
    expect(validate(small)).toThrow(wrong(['amount']));
  });

  it("compares the network of a payout with the module's options as well as its amount", () => {
    const allowed = {
      limits: { minCents: 1_000n, maxCents: undefined, perDay: undefined },
      networks: new Set(['B']),
    };
    const validate = (request: object) => () =>
      validateRequest(MobileMoneyDisbursementDto, request, 'disbursement.mobile-money', allowed);
    const payout = { ...mobileRequest, network: 'A' };
    expect(validate({ ...payout, amount: '7.00' })).toThrow(
      expect.objectContaining({
        errors: {
          amount: ["amount must be at least 10.00, the limit in the module's options"],
          network: ['network must be one of the networks option: B'],
        },
      }),
    );
    expect(validate({ ...payout, network: 'B' })()).toMatchObject({ network: 'B' });
  });

  it('says what is wrong with the request itself before what is wrong with its fields', () => {
    const request = { ...collectionRequest, phone: '0712', toString: 1, valueOf: 2 };
    expect(check(MobileMoneyCollectionDto, request)).toEqual({
      request: ['the request must not have a field named valueOf: remove it'],
    });
  });

  it('names every getter', () => {
    const request = Object.defineProperties(
      { ...collectionRequest },
      { amount: { get: () => '1' }, phone: { get: () => '255712345678' } },
    );
    expect(check(MobileMoneyCollectionDto, request)).toEqual({
      amount: ['amount must be a plain value: it is a getter, whose value could change before sending'],
      phone: ['phone must be a plain value: it is a getter, whose value could change before sending'],
    });
  });
});

function circular(): object {
  const circle: Record<string, unknown> = {};
  circle['self'] = circle;
  return circle;
}
