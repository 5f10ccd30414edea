import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Logger } from '@nestjs/common';
import { inspect } from 'node:util';
import { memoryStorage } from 'nestjs-payments';
import { bankRequest, collectionRecord, collectionRequest, envelope } from '../../support/gateway-answers.js';
import { startMerchant, type Merchant } from '../../support/merchant.js';
import { remoteJournal } from '../../support/remote-journal.js';
import {
  hang,
  json,
  startMisbehavingGateway,
  type Behaviour,
  type MisbehavingGateway,
} from '../../support/misbehaving-gateway.js';

/** Base64 of a signature, a receipt, and text outside of Latin. */
const UNITS = [
  'c2lnbmF0dXJl/+',
  '<td>Neema Ali \u2013 \u00d7 255754000111</td>',
  '\u0646\u064a\u0645\u0627 ',
];
const SIZES = [8_000, 30_000];
const VALUES = UNITS.flatMap((unit) =>
  SIZES.map((size): [what: string, value: string] => [
    `${size} characters such as ${unit}`,
    unit.repeat(size / unit.length + 1).slice(0, size),
  ]),
);

const SAID = 'Salio halitoshi \u2013 ongeza';
const refused = json({ status: 'error', code: 'INSUFFICIENT_BALANCE', message: SAID }, 400);
const accepted = json({
  ...envelope({ ...collectionRecord, customer_email: null }),
  code: 'IMEPOKELEWA',
  request_id: 'req_8f2c',
});

describe('a payment with a long value in its metadata', () => {
  let gateway: MisbehavingGateway;
  let merchant: Merchant;
  let now: number;
  let storage: ReturnType<typeof memoryStorage>;
  const logged: unknown[] = [];

  const start = (): Promise<Merchant> =>
    startMerchant({
      baseUrl: gateway.baseUrl,
      storage,
      timeoutMs: 2_000,
      deadlineMs: 3_000,
      retry: { maxAttempts: 1 },
      probe: { collections: {} },
    });

  beforeEach(async () => {
    for (const level of ['warn', 'error'] as const) {
      vi.spyOn(Logger.prototype, level).mockImplementation((...line: unknown[]) => logged.push(line));
    }
    logged.length = 0;
    now = 1_800_000_000_000;
    const memory = memoryStorage({ now: () => now });
    storage = { ...memory, journal: remoteJournal(memory.journal) };
    gateway = await startMisbehavingGateway();
    merchant = await start();
  });

  afterEach(async () => {
    vi.restoreAllMocks();
    await merchant.close();
    await gateway.close();
  });

  const failureOf = (call: Promise<unknown>): Promise<unknown> =>
    call.then(
      () => 'no failure',
      (error: unknown) => error,
    );
  /** Whatever came out of the package holds nothing of the value. */
  const expectSafe = (value: string, ...told: unknown[]): void => {
    const text = inspect([...told, logged], { depth: 10, maxStringLength: null, maxArrayLength: null });
    expect(text).not.toContain(value.slice(0, 20));
    expect(text).not.toContain('Neema');
  };

  it.each(VALUES)('is refused, also with an echo of %s', async (_, value) => {
    const echo = json({ status: 'error', code: 'INVALID_ACCOUNT', message: `${SAID}: ${value}` }, 400);
    gateway.answer(refused, echo);
    const pay = () => merchant.disbursements.bank({ ...bankRequest, metadata: { value } });
    const errors = [await failureOf(pay()), await failureOf(pay())];
    expect(errors).toMatchObject([
      { name: 'PaymentRejectedError', final: true, code: 'INSUFFICIENT_BALANCE' },
      { name: 'PaymentRejectedError', final: true, code: 'INVALID_ACCOUNT' },
    ]);
    expect(await merchant.journal.get('disbursement', 'salary-1')).toMatchObject({
      ...{ state: 'rejected', attempt: 2 },
    });
    expectSafe(value, errors);
  });

  it.each(VALUES)('is turned away: %s', async (_, value) => {
    const ends: [answer: Behaviour, name: string][] = [
      [json({ message: SAID }, 401), 'PaymentsAuthenticationError'],
      [json({ message: SAID }, 429, { 'retry-after': '90' }), 'PaymentsRateLimitError'],
      // All calls of the account wait now.
      [refused, 'PaymentsRateLimitError'],
    ];
    for (const [answer, name] of ends) {
      gateway.answer(answer);
      const call = merchant.collections.mobileMoney({ ...collectionRequest, metadata: { value } });
      const error = await failureOf(call);
      expect(error).toMatchObject({ name });
      expectSafe(value, error);
    }
    expect(gateway.seen).toHaveLength(2);
    expect(await merchant.journal.get('collection', 'order-1')).toMatchObject({ state: 'rejected' });
  });

  it.each(VALUES)('is accepted with a code and a request id that nobody knows: %s', async (_, value) => {
    gateway.answer(accepted);
    const request = { ...collectionRequest, customer_name: `Asha Juma ${value}`, metadata: { value } };
    const { lastResponse } = await merchant.collections.mobileMoney(request);
    expect(lastResponse).toMatchObject({ code: 'IMEPOKELEWA', requestId: 'req_8f2c' });
    expect(await merchant.journal.get('collection', 'order-1')).toMatchObject({ state: 'accepted' });
  });

  it.each<[end: string, answer: Behaviour, state: string]>([
    ['accepted', accepted, 'accepted'],
    ['refused', refused, 'unknown'],
  ])('is recovered, and %s then', async (_, answer, state) => {
    const value = VALUES.at(-1)![1];
    gateway.answer(hang);
    await failureOf(
      merchant.collections.mobileMoney({ ...collectionRequest, metadata: { value } }, { timeoutMs: 50 }),
    );
    now += 60_000;
    gateway.answer(answer);
    expect(await merchant.journal.recover()).toMatchObject({ probed: 1 });
    expect(await merchant.journal.get('collection', 'order-1')).toMatchObject({ state });
    expectSafe(value);
  });
});
