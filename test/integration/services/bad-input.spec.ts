import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PaymentsValidationError } from 'nestjs-payments';
import { type PaymentsSandbox } from 'nestjs-payments/sandbox';
import { bankRequest, collectionRequest, mobileRequest } from '../../support/gateway-answers.js';
import { startMerchantApp, type MerchantApp } from '../../support/merchant-app.js';
import { startSandbox } from '../../support/sandbox.js';

const AMOUNTS: readonly (readonly [what: string, amount: unknown])[] = [
  ['NaN', Number.NaN],
  ['Infinity', Number.POSITIVE_INFINITY],
  ['1e21', 1e21],
  ['0.1 + 0.2', 0.1 + 0.2],
  ['0', 0],
  ['-0', -0],
  ['-1', -1],
  ["'1,000'", '1,000'],
  ["'1e3'", '1e3'],
  ["' 1000'", ' 1000'],
  ["'1000 TZS'", '1000 TZS'],
  ["''", ''],
  ['three decimals', '1.005'],
  ['three decimals of a number', 1.005],
  ['10^13', '10000000000000'],
  ['10^13 as a number', 1e13],
  ['10^13 as a bigint', 10n ** 13n],
  ['nothing', undefined],
  ['null', null],
  ['an object', { value: 1 }],
];

const REFERENCES: readonly (readonly [what: string, reference: unknown])[] = [
  ['10 kB', 'x'.repeat(10_240)],
  ['256 bytes', 'x'.repeat(256)],
  ['128 characters of two bytes', 'é'.repeat(128)],
  ['nothing', undefined],
  ['an empty text', ''],
  ['blanks', '   '],
  ['a number', 17],
  ['white space before', ' order-1'],
  ['white space behind', 'order-1 '],
  ['a line break behind', 'order-1\n'],
  ['a no-break space behind', 'order-1\u00a0'],
  ['a zero-width space behind', 'order-1\u200b'],
  ['a byte order mark before', '\ufefforder-1'],
  ['a tab inside', 'order\t1'],
  ['a NUL inside', 'order\u00001'],
  ['a delete inside', 'order\u007f1'],
  ['a C1 control inside', 'order\u00851'],
  ['a missing id', String(undefined)],
  ['a missing id and a count', `order-${String(undefined)}-2`],
];

describe('a payment with bad input', () => {
  let sandbox: PaymentsSandbox;
  let app: MerchantApp;

  beforeAll(async () => {
    sandbox = await startSandbox({ clock: 'manual', seed: 1 });
    app = await startMerchantApp(sandbox.moduleOptions());
  });
  afterAll(() => app.close());

  const operations: readonly (readonly [name: string, call: (fields: object) => Promise<unknown>])[] = [
    [
      'collection by mobile money',
      (fields) => app.collections.mobileMoney({ ...collectionRequest, ...fields }),
    ],
    [
      'collection by partner wallet',
      (fields) => app.collections.partnerWallet({ ...collectionRequest, ...fields }),
    ],
    ['payout to a bank', (fields) => app.disbursements.bank({ ...bankRequest, ...fields })],
    ['payout to a phone', (fields) => app.disbursements.mobileMoney({ ...mobileRequest, ...fields })],
  ];

  async function expectRefusal(call: Promise<unknown>, field: string, value: unknown): Promise<void> {
    const error: unknown = await call.catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(PaymentsValidationError);
    const { errors, message } = error as PaymentsValidationError;
    expect(Object.keys(errors)).toEqual([field]);
    expect(message.length).toBeLessThan(1_000);
    if (typeof value === 'string' && value.length > 20) expect(message).not.toContain(value);
    expect(sandbox.requests()).toEqual([]);
  }

  describe.each(operations)('%s', (_, call) => {
    it.each(AMOUNTS)('the service refuses the amount %s before it sends anything', async (_what, amount) => {
      await expectRefusal(call({ amount }), 'amount', amount);
    });

    it.each(REFERENCES)(
      'the service refuses %s as a reference before it sends anything',
      async (_what, reference) => {
        await expectRefusal(call({ reference }), 'reference', reference);
      },
    );
  });

  it('the largest and the smallest valid amount are sent', async () => {
    const { collections } = app;
    const most = await collections.mobileMoney({
      ...collectionRequest,
      amount: '9999999999999.99',
      reference: 'x'.repeat(255),
    });
    const least = await collections.mobileMoney({ ...collectionRequest, amount: 0.01, reference: 'é' });
    expect([most.amount, least.amount]).toEqual(['9999999999999.99', '0.01']);
    expect(sandbox.requests()).toHaveLength(2);
  });
});
