import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  DailyCapReachedError,
  dailyCapDay,
  memoryStorage,
  PaymentRejectedError,
  type PaymentsModuleOptions,
  PaymentsValidationError,
} from 'nestjs-payments';
import { bankRequest, collectionRequest } from '../../support/gateway-answers.js';
import {
  type Behaviour,
  type MisbehavingGateway,
  reset,
  startMisbehavingGateway,
} from '../../support/misbehaving-gateway.js';
import { type PaymentsApp, startPaymentsApp } from '../../support/payments-app.js';
import { scheme, secret } from '../../support/webhook-app.js';
import { acceptWith, bare, refuse } from '../../support/working-gateway.js';

/** 23:59:00 in Dar es Salaam. */
const BEFORE_MIDNIGHT = Date.parse('2026-11-25T20:59:00Z');
const MIDNIGHT = '2026-11-25T21:00:00.000Z';
const CLOSED = 'http://127.0.0.1:1/api/v1';

const accept: Behaviour = (response, socket, request) => {
  const { amount } = JSON.parse(request.body) as { readonly amount: number };
  acceptWith({ amount: amount.toFixed(2) })(response, socket, request);
};

describe('an account with a cap of a day', () => {
  let gateway: MisbehavingGateway;
  let now: number;
  let storage: ReturnType<typeof memoryStorage>;
  let apps: PaymentsApp[];
  let shop: PaymentsApp;

  const start = async (options: Partial<PaymentsModuleOptions> = {}): Promise<PaymentsApp> => {
    const app = await startPaymentsApp({
      baseUrl: gateway.baseUrl,
      apiKey: 'pk_test_demo',
      apiSecret: 'sk_test_demo',
      webhooks: { scheme, secrets: [secret] },
      retry: { maxAttempts: 1 },
      probe: false,
      limits: { disbursement: { perDay: { amount: '1000', count: 2 } } },
      storage,
      ...options,
    });
    apps.push(app);
    return app;
  };
  const pay = (reference: string, amount = '10.00', app = shop): Promise<unknown> =>
    app.disbursements.bank({ ...bankRequest, reference, amount });
  const failureOf = (work: Promise<unknown>): Promise<unknown> => work.catch((error: unknown) => error);
  const refusedAtCap = async (reference: string, amount?: string): Promise<DailyCapReachedError> => {
    const error = await failureOf(pay(reference, amount));
    expect(error).toBeInstanceOf(DailyCapReachedError);
    return error as DailyCapReachedError;
  };

  beforeEach(async () => {
    now = BEFORE_MIDNIGHT;
    storage = memoryStorage({ now: () => now });
    gateway = await startMisbehavingGateway();
    gateway.answer(accept);
    apps = [];
    shop = await start();
  });
  afterEach(async () => {
    await Promise.all(apps.map(({ app }) => app.close()));
    await gateway.close();
  });

  it('sends nothing and writes nothing down beyond it, and says when the next day begins', async () => {
    await Promise.all([pay('one'), pay('two')]);
    const error = await refusedAtCap('three');
    expect(error).toBeInstanceOf(PaymentsValidationError);
    expect(error).toMatchObject({
      name: 'PaymentsValidationError',
      code: 'DAILY_CAP_REACHED',
      resetsAt: new Date(MIDNIGHT),
      reference: 'three',
      operation: 'disbursement.bank',
      mayHaveBeenProcessed: false,
      retryable: false,
    });
    expect(error.message).toContain(MIDNIGHT);
    expect(error.message).toContain('limits.disbursement.perDay');
    expect(gateway.seen).toHaveLength(2);
    expect(await shop.journal.get('disbursement', 'three')).toBeUndefined();
  });

  it('begins a new day at midnight in Dar es Salaam', async () => {
    await Promise.all([pay('one'), pay('two')]);
    now = Date.parse(MIDNIGHT) - 1;
    await refusedAtCap('three');
    now = Date.parse(MIDNIGHT);
    await Promise.all([pay('three'), pay('four')]);
    await refusedAtCap('five');
    expect(dailyCapDay(now)).toBe(dailyCapDay(BEFORE_MIDNIGHT) + 1);
  });

  it('counts the sum to the cent, and says of an amount above a whole day that no day has room for it', async () => {
    await pay('one', '999.99');
    expect((await refusedAtCap('two', '0.02')).hint).toContain('Make the same call again');
    await pay('two', '0.01');
    expect((await refusedAtCap('three', '1000.01')).hint).toContain('No day has room');
  });

  it('answers repeated calls, and knows webhooks and operators, however full the day is', async () => {
    const record = await pay('one');
    gateway.answer(reset);
    await failureOf(pay('two'));
    gateway.answer(accept);
    expect(await pay('one')).toEqual(record);
    expect(await failureOf(pay('two'))).toMatchObject({ code: 'OUTCOME_UNKNOWN' });
    expect(await shop.journal.recover()).toMatchObject({ probed: 0 });
    expect(await shop.journal.settle('disbursement', 'two', 'paid')).toMatchObject({ outcome: 'paid' });
    await refusedAtCap('three');
    expect(gateway.seen).toHaveLength(2);
  });

  it('gives back what a listed refusal did not move, and counts the next attempt', async () => {
    gateway.answer(refuse('INSUFFICIENT_BALANCE'));
    for (let tries = 0; tries < 4; tries += 1) {
      expect(await failureOf(pay('one'))).toBeInstanceOf(PaymentRejectedError);
    }
    gateway.answer(accept);
    await Promise.all([pay('one', '20.00'), pay('two')]);
    await refusedAtCap('three');
  });

  it('does not give back what may have moved, and counts the same attempt once', async () => {
    gateway.answer(bare(401));
    for (let tries = 0; tries < 3; tries += 1) {
      expect(await failureOf(pay('one'))).toMatchObject({ name: 'PaymentsAuthenticationError' });
    }
    gateway.answer(reset);
    expect(await failureOf(pay('two'))).toMatchObject({ code: 'OUTCOME_UNKNOWN' });
    await refusedAtCap('three');
    gateway.answer(accept);
    await pay('one');
    await refusedAtCap('three');
  });

  it('counts the next attempt after an operator said that the first one failed, which may have moved', async () => {
    gateway.answer(reset);
    await failureOf(pay('one'));
    await shop.journal.settle('disbursement', 'one', 'failed');
    gateway.answer(accept);
    await pay('one');
    expect(await shop.journal.get('disbursement', 'one')).toMatchObject({ attempt: 2 });
    await refusedAtCap('two');
  });

  it('gives back what was never sent', async () => {
    const cutOff = await start({ baseUrl: CLOSED });
    for (let tries = 0; tries < 4; tries += 1) {
      expect(await failureOf(pay('one', '10.00', cutOff))).toMatchObject({ name: 'GatewayUnreachableError' });
    }
    await Promise.all([pay('one'), pay('two')]);
    await refusedAtCap('three');
  });

  it('gives back a next attempt that was never sent', async () => {
    gateway.answer(refuse('INSUFFICIENT_BALANCE'));
    await failureOf(pay('one'));
    gateway.answer(accept);
    const cutOff = await start({ baseUrl: CLOSED });
    for (let tries = 0; tries < 4; tries += 1) await failureOf(pay('one', '10.00', cutOff));
    expect(await shop.journal.get('disbursement', 'one')).toMatchObject({ state: 'rejected', attempt: 1 });
    await Promise.all([pay('one'), pay('two')]);
    await refusedAtCap('three');
  });

  it('gives nothing back to another day', async () => {
    gateway.answer(refuse('INSUFFICIENT_BALANCE'));
    const late = pay('one');
    now = Date.parse(MIDNIGHT);
    gateway.answer(accept);
    await Promise.all([failureOf(late), pay('two'), pay('three')]);
    await refusedAtCap('four');
  });

  it('counts families apart, and each by its own cap', async () => {
    await Promise.all([pay('one'), pay('two')]);
    await refusedAtCap('three');
    const collect = (reference: string): Promise<unknown> =>
      shop.collections.mobileMoney({ ...collectionRequest, reference });
    await Promise.all([collect('one'), collect('two'), collect('three')]);
  });

  it('keeps its count over a restart, and under another cap', async () => {
    await Promise.all([pay('one'), pay('two')]);
    shop = await start({ limits: { disbursement: { perDay: { count: 3 } } } });
    await pay('three');
    await refusedAtCap('four');
  });
});
