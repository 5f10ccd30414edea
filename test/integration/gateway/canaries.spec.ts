import { inspect } from 'node:util';
import { Logger } from '@nestjs/common';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type PaymentsModuleOptions, isPaymentsError, memoryStorage } from 'nestjs-payments';
import { PaymentsSandbox } from 'nestjs-payments/sandbox';
import { hearDiagnostics, keepLogLines, type HeardEvent } from '../../support/diagnostics-log.js';
import { startMerchant, type Merchant } from '../../support/merchant.js';
import {
  drip,
  hang,
  json,
  reset,
  stall,
  startMisbehavingGateway,
  text,
  truncate,
  type Behaviour,
  type MisbehavingGateway,
} from '../../support/misbehaving-gateway.js';

/** What must never be seen outside a request or a record. */
const KEYS = { apiKey: 'pk_test_canaryofthekey', apiSecret: 'sk_test_canaryofthesecret' };
const PHONE = '255713579246';
const ACCOUNT = '0150246813579';
const FIRST = 'Zuwena';
const LAST = 'Kibondoo';
const E_MAIL = 'zuwena.k@canary.example';
const NOTE = 'for the clinic visit';
const CANARIES = [
  'canaryofthe',
  PHONE,
  PHONE.slice(3),
  ACCOUNT,
  FIRST,
  LAST,
  E_MAIL,
  'canary.example',
  NOTE,
].map((canary) => canary.toLowerCase());

const collection = {
  amount: '1180.50',
  reference: 'order-1',
  phone: PHONE,
  customer_name: `${FIRST} ${LAST}`,
  customer_email: E_MAIL,
  metadata: { note: NOTE, nested: [{ holder: `${LAST}, ${FIRST}` }] },
} as const;
const bank = {
  reference: 'salary-1',
  bank_code: 'ABC',
  account_number: ACCOUNT,
  account_name: `${FIRST} ${LAST}`,
  amount: '250000',
  remarks: NOTE,
} as const;
const mobile = {
  reference: 'salary-2',
  recipient_phone: PHONE,
  recipient_name: `${FIRST} ${LAST}`,
  amount: '5000',
  network: 'NET_ONE',
  remarks: NOTE,
} as const;

type Call = (merchant: Merchant, options?: object) => Promise<unknown>;
const CALLS: Readonly<Record<string, Call>> = {
  'a mobile money collection': ({ collections }, options) => collections.mobileMoney(collection, options),
  'a partner wallet collection': ({ collections }, options) => collections.partnerWallet(collection, options),
  'a bank payout': ({ disbursements }, options) => disbursements.bank(bank, options),
  'a mobile money payout': ({ disbursements }, options) => disbursements.mobileMoney(mobile, options),
  'a name lookup': ({ names }, options) =>
    names.lookup({ channel: 'BANK', account_number: ACCOUNT, bank_code: 'ABC' }, options),
  'a balance': ({ wallet }, options) => wallet.balance(options),
};

/** All that a gateway could say about people and keys, in the forms it could say it in. */
const TELLTALE = [
  `${FIRST} ${LAST} <${E_MAIL}>`,
  `${LAST.toUpperCase()}, ${FIRST.toUpperCase()}`,
  `+255 713 579 246, ${PHONE}, 0${PHONE.slice(3)}, ${ACCOUNT}, 0150-246-813-579`,
  `${KEYS.apiKey} ${KEYS.apiSecret} Bearer ${KEYS.apiKey}`,
  NOTE,
].join('; ');
const everywhere = { ...collection, ...bank, ...mobile, ...KEYS, message: TELLTALE };

/** Answers that hold everything in every field. */
const answers: readonly [what: string, behaviour: Behaviour][] = [
  [
    'shape A with a listed code',
    json({ status: 'error', code: 'INVALID_ACCOUNT', message: TELLTALE, data: everywhere }, 422),
  ],
  [
    'shape A with an unlisted code',
    json({ status: 'error', code: 'NEW_CODE', message: TELLTALE, data: everywhere }, 400),
  ],
  [
    'codes and ids that are none',
    json({ status: 'error', code: TELLTALE, message: TELLTALE, request_id: TELLTALE }, 400),
  ],
  [
    'shape C',
    json(
      {
        success: false,
        message: TELLTALE,
        errors: { phone: [TELLTALE], [PHONE]: [TELLTALE], [FIRST]: TELLTALE },
      },
      422,
    ),
  ],
  [
    'a complaint about the reference',
    json({ success: false, message: TELLTALE, errors: { reference: [TELLTALE] } }, 422),
  ],
  ['a bare message', json({ message: TELLTALE }, 404)],
  ['401', json({ message: TELLTALE }, 401)],
  ['403', json({ status: 'error', code: TELLTALE, message: TELLTALE }, 403)],
  ['429', json({ message: TELLTALE }, 429, { 'retry-after': '90', 'x-canary': E_MAIL })],
  ['409 without a known code', json({ message: TELLTALE }, 409)],
  [
    'a used key',
    json({ status: 'error', code: 'DUPLICATE_REQUEST', message: TELLTALE, data: everywhere }, 409),
  ],
  ['a used reference', json({ status: 'error', code: 'DUPLICATE_REFERENCE', message: TELLTALE }, 409)],
  ['a failed provider', json({ status: 'error', code: 'PROVIDER_ERROR', message: TELLTALE }, 200)],
  ['500', json(everywhere, 500)],
  ['HTML', text(`<h1>${TELLTALE}</h1>`, 502)],
  ['broken JSON', text(`{"status":"success","data":{"message":"${TELLTALE}`, 200)],
  [
    'success without data',
    json({ status: 'success', code: TELLTALE, message: TELLTALE, request_id: TELLTALE }),
  ],
  [
    'success for somebody else',
    json({
      status: 'success',
      code: TELLTALE,
      message: TELLTALE,
      data: { ...everywhere, reference: PHONE, amount: '1.00', currency: FIRST },
    }),
  ],
  ['a redirect', text('', 301, { location: `https://canary.example/?key=${KEYS.apiSecret}&p=${PHONE}` })],
  ['303', text(TELLTALE, 303, { location: `https://canary.example/${PHONE}` })],
  ['a reset', reset],
  ['a truncated body', truncate],
];
const silences: readonly [what: string, behaviour: Behaviour][] = [
  ['silence', hang],
  ['a stalled body', stall],
  ['a dripping body', drip],
];

describe('keys and personal data', () => {
  let gateway: MisbehavingGateway;
  let merchants: Merchant[];
  let heard: HeardEvent[];
  let stop: () => void;
  let lines: string[];

  const start = async (options: Partial<PaymentsModuleOptions> = {}): Promise<Merchant> => {
    const merchant = await startMerchant({
      baseUrl: gateway.baseUrl,
      ...KEYS,
      retry: { maxAttempts: 2, baseDelayMs: 1, maxDelayMs: 1 },
      ...options,
    });
    merchants.push(merchant);
    lines = keepLogLines();
    return merchant;
  };

  /** What can be seen of anything: as text, inspected to the last hidden property, as JSON, its stack. */
  const seenOf = (value: unknown): string =>
    [
      String(value),
      inspect(value, { depth: Infinity, showHidden: true, maxArrayLength: null, maxStringLength: null }),
      JSON.stringify(value),
      value instanceof Error ? `${value.message}\n${value.stack ?? ''}\n${inspect(value.cause)}` : '',
    ].join('\n');

  const expectNoCanary = (...values: readonly unknown[]): void => {
    const seen = [...values, heard, lines].map(seenOf).join('\n').toLowerCase();
    expect(CANARIES.filter((canary) => seen.includes(canary))).toEqual([]);
  };

  /** How a call ends, without the record that it may give. */
  const endOf = (call: Promise<unknown>): Promise<unknown> =>
    call.then(
      (record) => (record as { lastResponse: { warnings: unknown } }).lastResponse.warnings,
      (thrown: unknown) => thrown,
    );

  const failureOf = async (call: Promise<unknown>): Promise<unknown> => {
    const error: unknown = await call.then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    expect(isPaymentsError(error)).toBe(true);
    return error;
  };

  beforeEach(async () => {
    merchants = [];
    gateway = await startMisbehavingGateway();
    ({ heard, stop } = hearDiagnostics());
  });

  afterEach(async () => {
    stop();
    Logger.overrideLogger(false);
    await gateway.close();
    await Promise.all(merchants.map((merchant) => merchant.close()));
  });

  for (const [name, call] of Object.entries(CALLS)) {
    describe(`of ${name}`, () => {
      it.each(answers)('are nowhere to be seen after %s', async (_, behaviour) => {
        gateway.answer(behaviour);
        const merchant = await start();
        const [error, again] = [await endOf(call(merchant)), await endOf(call(merchant))];
        expect(lines.length).toBeGreaterThan(0);
        expect(heard.length).toBeGreaterThan(2);
        expectNoCanary(error, again);
      });

      it.each(silences)('are nowhere to be seen after %s', async (_, behaviour) => {
        gateway.answer(behaviour);
        const merchant = await start({ timeoutMs: 30 });
        expectNoCanary(await failureOf(call(merchant)));
      });

      it('are nowhere to be seen if nothing listens', async () => {
        const merchant = await start({ baseUrl: 'http://127.0.0.1:9/api/v1' });
        expectNoCanary(await failureOf(call(merchant)));
      });

      it("are nowhere to be seen if the application's own axios adapter fails", async () => {
        const merchant = await start({ http: { proxy: { host: '127.0.0.1', port: 9 } } });
        expectNoCanary(await failureOf(call(merchant)));
      });

      it('are nowhere to be seen if an interceptor throws all it knows', async () => {
        const merchant = await start();
        merchant.http.axiosRef.interceptors.request.use((config) => {
          throw Object.assign(new Error(TELLTALE), { config, code: TELLTALE });
        });
        expectNoCanary(await failureOf(call(merchant)));
      });

      it('are nowhere to be seen after a wrong option', async () => {
        const merchant = await start();
        expectNoCanary(
          await failureOf(call(merchant, { timeoutMs: PHONE, idempotencyKey: TELLTALE, attempt: E_MAIL })),
        );
      });

      it('are nowhere to be seen after an abort', async () => {
        gateway.answer(hang);
        const merchant = await start();
        const controller = new AbortController();
        const reason = { why: 'enough' };
        const end = call(merchant, { signal: controller.signal }).catch((thrown: unknown) => thrown);
        await gateway.arrived(1);
        controller.abort(reason);
        expectNoCanary(await end);
      });
    });
  }

  it('are nowhere to be seen after a wrong request', async () => {
    const { collections, disbursements, names } = await start();
    const wrong = `${TELLTALE}\n`;
    const everyField = (request: object): never =>
      Object.fromEntries(
        Object.keys(request).map((field) => [field, field === 'metadata' ? TELLTALE : [wrong]]),
      ) as never;
    expectNoCanary(
      await failureOf(collections.mobileMoney(everyField(collection))),
      await failureOf(
        collections.partnerWallet({ ...collection, phone: `+${PHONE}`, customer_email: `${FIRST}@` }),
      ),
      await failureOf(disbursements.bank(everyField(bank))),
      await failureOf(disbursements.mobileMoney({ ...mobile, network: TELLTALE, amount: ACCOUNT + ACCOUNT })),
      await failureOf(names.lookup({ channel: TELLTALE, account_number: ACCOUNT } as never)),
    );
  });

  it('are nowhere to be seen if the journal fails with all it knows', async () => {
    const storage = memoryStorage();
    const broken = (): never => {
      throw Object.assign(new Error(TELLTALE), { detail: everywhere });
    };
    const journal = new Proxy(storage.journal, {
      get: (target, name): unknown =>
        name === 'insert' || name === 'get' ? broken : Reflect.get(target, name),
    });
    const merchant = await start({ storage: { ...storage, journal } });
    for (const call of [CALLS['a bank payout'], CALLS['a mobile money collection']]) {
      expectNoCanary(await failureOf(call?.(merchant) ?? Promise.resolve()));
    }
    expect(gateway.seen).toHaveLength(0);
  });

  it('are nowhere to be seen if a reference is used again', async () => {
    const sandbox = await PaymentsSandbox.start({ clock: 'manual' });
    const { baseUrl } = sandbox;
    const merchant = await start({
      baseUrl,
      apiKey: 'pk_test_canaryofthekey',
      apiSecret: 'sk_test_canaryofthekey',
    });
    const accepted = await merchant.collections.mobileMoney(collection);
    expect(accepted.customer_phone).toBe(PHONE);
    expectNoCanary(
      await failureOf(merchant.collections.mobileMoney({ ...collection, amount: '5' })),
      await failureOf(merchant.collections.partnerWallet(collection)),
      await failureOf(merchant.collections.mobileMoney(collection, { idempotencyKey: 'another' })),
    );
    await sandbox.stop();
  });

  it('are nowhere to be seen of an accepted payment but in its record', async () => {
    const sandbox = await PaymentsSandbox.start({ clock: 'manual' });
    const { baseUrl } = sandbox;
    const merchant = await start({
      baseUrl,
      apiKey: 'pk_test_canaryofthekey',
      apiSecret: 'sk_test_canaryofthekey',
    });
    const { lastResponse } = await merchant.collections.mobileMoney(collection);
    await merchant.wallet.balance();
    expect(heard.length).toBeGreaterThan(4);
    expectNoCanary(lastResponse);
    await sandbox.stop();
  });

  it('are nowhere to be seen in the services themselves', async () => {
    const { collections, disbursements, names, wallet, banks } = await start();
    expectNoCanary(collections, disbursements, names, wallet, banks);
  });

  const options = { baseUrl: 'https://gateway.example/api/v1', ...KEYS };
  it.each([
    ['swapped', { ...options, apiKey: KEYS.apiSecret, apiSecret: KEYS.apiKey }],
    ['of another environment', { ...options, apiSecret: KEYS.apiSecret.replace('test', 'live') }],
    ['with white space', { ...options, apiSecret: `${KEYS.apiSecret} ` }],
    ['in the address', { ...options, baseUrl: `https://${FIRST}:${KEYS.apiSecret}@gateway.example/api/v1` }],
    ['beside a wrong number', { ...options, timeoutMs: PHONE }],
    ['instead of a section', { ...options, retry: KEYS.apiSecret }],
    ['in a list', { ...options, networks: [PHONE], refusalCodes: [TELLTALE] }],
  ])('are nowhere to be seen if a key is %s', async (_, wrong) => {
    lines = [];
    const error: unknown = await startMerchant(wrong as PaymentsModuleOptions).catch(
      (thrown: unknown) => thrown,
    );
    expect(isPaymentsError(error)).toBe(true);
    expectNoCanary(error);
  });
});
