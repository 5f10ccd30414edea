import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { WORLD_SCHEMA } from '../../../../lib/sandbox/world/world-form.js';
import { settingsOf, worldProblems } from '../../../../lib/sandbox/world/world-settings.js';
import { pathText } from '../../../../lib/sandbox/world/world-error.js';

const PAYMENT = { reference: 'order-1', amount: '15000.00', phone: '255712345678' };
const PAYOUT = { reference: 'salary-1', amount: 20_000, recipient_phone: '255712345678' };
const FAULT = { operation: 'POST /payments/mobile-money', kind: 'delay', duration: '2s' };

const isInSchema = new Ajv2020({ strict: false, validateFormats: false }).compile(WORLD_SCHEMA);
const inShop = (part: object) => ({ merchants: { shop: part } });

const FULL = {
  clock: 'manual',
  now: '2026-06-01T08:00:00Z',
  frozen: false,
  seed: 7,
  auto: false,
  profile: 'documented',
  startingBalance: 0,
  fees: { collectionPercent: 1.5, payout: '300.00' },
  expireAfter: '10m',
  webhookScheme: { hmac: { header: 'x-s', algorithm: 'sha512', encoding: 'hex', payload: ['body'] } },
  webhookSecret: 'a-secret-of-this-test',
  banks: [{ id: 1, name: 'Bank of Tests', code: 'BT', long_code: 'BTXX' }],
  directory: { '255712345678': 'Asha Mushi', '0123456789': null },
  webhooks: [
    {
      url: 'http://127.0.0.1:3000/hooks',
      events: ['payment.success'],
      enabled: true,
      secret: 'another-secret-1',
    },
  ],
  faults: [{ ...FAULT, times: 2, probability: 0.5, reference: 'order-1', merchant: 'shop' }],
  merchants: {
    shop: { balance: 5, payments: [{ ...PAYMENT, age: '2h', metadata: { a: 1 } }], payouts: [PAYOUT] },
  },
  'x-anchors': { any: 'thing' },
};

/** What is wrong, where the message says it is, and how the message begins. */
const WRONG: readonly (readonly [world: unknown, path: string, message: string])[] = [
  [[], '', 'must have some of these keys: clock, now'],
  [{ clok: 'real' }, 'clok', "is no key here. Did you mean 'clock'? Write one of clock, now"],
  [{ clock: 'manua' }, 'clock', "must be one of real, manual. Did you mean 'manual'?"],
  [{ seed: -1 }, 'seed', 'must be a whole number from 0 to 4294967295'],
  [{ auto: 'yes' }, 'auto', 'must be true or false'],
  [{ startingBalance: true }, 'startingBalance', 'must be an amount of TZS from 0 on'],
  [{ fees: { collectionPercent: 101 } }, 'fees.collectionPercent', 'must be a number from 0 to 100'],
  [{ expireAfter: 'soon' }, 'expireAfter', 'must be a number with its unit'],
  [{ webhookScheme: { hmac: {}, stripeStyle: {} } }, 'webhookScheme', 'must have one of the keys hmac'],
  [{ webhookScheme: { hmax: {} } }, 'webhookScheme.hmax', "is no key here. Did you mean 'hmac'?"],
  [{ banks: [{ id: 1, name: 'B' }] }, 'banks[0]', 'needs the key code'],
  [{ directory: { '255712345678': 7 } }, 'directory[0]', 'must be text: write it in quotes'],
  [{ directory: { '255712345678': 'A', asha: 'B' } }, 'directory[1]', 'must be a phone or account number'],
  [{ webhooks: { url: 'http://127.0.0.1' } }, 'webhooks', 'must be a list'],
  [
    { webhooks: [{ url: 'http://127.0.0.1', events: ['payment.sucess'] }] },
    'webhooks[0].events[0]',
    "must be one of payment.success, payment.failed, payment.cancelled, payment.expired. Did you mean 'payment.success'?",
  ],
  [{ faults: [{ ...FAULT, kind: 'dely' }] }, 'faults[0].kind', 'must be one of dropBefore'],
  [
    { faults: [{ ...FAULT, after_processing: 'yes' }] },
    'faults[0].after_processing',
    'must be true or false',
  ],
  [{ faults: [{ ...FAULT, probability: 2 }] }, 'faults[0].probability', 'must be a number from 0 to 1'],
  [{ merchants: { 'a shop': {} } }, 'merchants.a shop', 'must be a name of 1 to 64 letters'],
  [
    inShop({ payments: [{ ...PAYMENT, phone: 255712345678 }] }),
    'merchants.shop.payments[0].phone',
    'must be text: write it in quotes',
  ],
  [
    inShop({ payments: [{ ...PAYMENT, status: 'paid' }] }),
    'merchants.shop.payments[0].status',
    'must be one of pending',
  ],
  [
    inShop({ payments: [{ reference: 'a', amount: 1 }] }),
    'merchants.shop.payments[0]',
    'needs the key phone',
  ],
  [
    inShop({ payouts: [{ ...PAYOUT, status: 'success' }] }),
    'merchants.shop.payouts[0].status',
    'must be one of processing, paid',
  ],
];

/** What a JSON Schema cannot say. */
const BEYOND_SCHEMA: typeof WRONG = [
  [{ startingBalance: '-1' }, 'startingBalance', 'must be an amount of TZS from 0 on'],
  [
    { startingBalance: '1000000000000000000' },
    'startingBalance',
    'must be an amount of TZS from 0 on, below 10',
  ],
  [{ fees: { payout: 1e13 } }, 'fees.payout', 'must be an amount of TZS from 0 on, below 10'],
  [
    inShop({ balance: '10000000000000' }),
    'merchants.shop.balance',
    'must be an amount of TZS from 0 on, below',
  ],
  [{ now: '2026-06-01 08:00' }, 'now', 'must be a moment with its time zone'],
  [{ now: '2026-02-31T08:00:00Z' }, 'now', 'must be a moment with its time zone'],
  [{ webhookScheme: { hmac: { header: 'x-s' } } }, 'webhookScheme', 'describes no signature: '],
  [
    inShop({ payments: [{ ...PAYMENT, amount: 0 }] }),
    'merchants.shop.payments[0].amount',
    'must be greater than 0',
  ],
];

describe('the form of a world', () => {
  it('the form of a world takes a world that has everything, and an empty one', () => {
    for (const world of [FULL, {}]) {
      expect(worldProblems(world)).toEqual([]);
      expect(isInSchema(world)).toBe(true);
    }
  });

  it.each([...WRONG, ...BEYOND_SCHEMA])('the form of a world refuses %j at %s', (world, path, message) => {
    const [problem, ...more] = worldProblems(world);
    expect(more).toEqual([]);
    expect(pathText(problem!.path)).toBe(path);
    expect(problem!.message.slice(0, message.length)).toBe(message);
  });

  it.each(WRONG)('the form of a world has a JSON Schema that refuses %j too', (world) => {
    expect(isInSchema(world)).toBe(false);
  });

  it('the form of a world reports everything that is wrong, and quotes no value', () => {
    const world = { seed: 'secret-text', webhookSecret: 4711, directory: { 'secret-text': 'secret-text' } };
    const problems = worldProblems(world);
    expect(problems).toHaveLength(3);
    expect(JSON.stringify(problems.map(({ path, message }) => [pathText(path), message]))).not.toMatch(
      /secret-text|4711/,
    );
  });

  it('the form of a world throws all problems as one error, in which the eleventh is only counted', () => {
    const world = { faults: Array.from({ length: 12 }, () => ({ ...FAULT, kind: 1 })) } as never;
    expect(() => settingsOf(world)).toThrow(/faults\[9\]\.kind .*\nand 2 more problems\.$/);
  });
});
