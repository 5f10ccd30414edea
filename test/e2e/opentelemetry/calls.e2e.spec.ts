import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { HttpService } from '@nestjs/axios';
import { context, type Span, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import {
  getPaymentsToken,
  memoryStorage,
  PaymentsAccounts,
  type PaymentsStorage,
  WalletService,
} from 'nestjs-payments';
import { instrumentPayments, observeAllJournals, observeJournal } from 'nestjs-payments/opentelemetry';
import { type PaymentsSandbox } from 'nestjs-payments/sandbox';
import { collectionRequest, mobileRequest } from '../../support/gateway-answers.js';
import { journalRecord } from '../../support/journal-contract.js';
import { type PaymentsApp, startPaymentsApp } from '../../support/payments-app.js';
import { startSandbox } from '../../support/sandbox.js';
import { Telemetry } from '../../support/telemetry.js';

const PAY = 'POST /payments/mobile-money';
const PAY_OUT = 'POST /disbursements/mobile-money';
const call = { 'payments.account': 'default', 'payments.operation': 'collection.mobile-money' };
const payout = { 'payments.account': 'default', 'payments.operation': 'disbursement.mobile-money' };

describe('the telemetry of calls', () => {
  let telemetry: Telemetry;
  let sandbox: PaymentsSandbox;
  let payments: PaymentsApp;
  let now: number;
  let storage: PaymentsStorage;
  let stop: () => void;

  beforeEach(async () => {
    now = 1_800_000_000_000;
    telemetry = new Telemetry();
    const { tracerProvider, meterProvider } = telemetry;
    stop = instrumentPayments({ tracerProvider, meterProvider, accountLabel: true });
    sandbox = await startSandbox({ clock: 'manual', seed: 1 });
    storage = memoryStorage({ now: () => now });
    payments = await startPaymentsApp({
      ...sandbox.moduleOptions(),
      storage,
      retry: { maxAttempts: 3, baseDelayMs: 1, maxDelayMs: 2 },
      probe: false,
    });
  });

  afterEach(async () => {
    stop();
    await payments.app.close();
    await telemetry.stop();
  });

  const lost = (making: Promise<unknown>): Promise<unknown> => making.catch((error: unknown) => error);

  it('a call has a span under the active one, and each of its tries has a span under that', async () => {
    const order = telemetry.tracerProvider.getTracer('shop').startSpan('order');
    await context.with(trace.setSpan(context.active(), order), () =>
      payments.collections.mobileMoney(collectionRequest),
    );
    const span = telemetry.span('collection.mobile-money');
    expect(span.parentSpanContext?.spanId).toBe(order.spanContext().spanId);
    expect(span.spanContext().traceId).toBe(order.spanContext().traceId);
    expect(span).toMatchObject({ kind: SpanKind.INTERNAL, status: { code: SpanStatusCode.UNSET } });
    expect(span.attributes).toEqual({
      ...call,
      'payments.outcome': 'success',
      'payments.attempts': 1,
      'payments.code': expect.any(String) as unknown,
      'payments.request_id': expect.any(String) as unknown,
    });
    const attempt = telemetry.span('POST collection.mobile-money');
    expect(attempt.parentSpanContext?.spanId).toBe(span.spanContext().spanId);
    expect(attempt).toMatchObject({ kind: SpanKind.CLIENT, status: { code: SpanStatusCode.UNSET } });
    expect(attempt.attributes).toEqual({
      ...call,
      'http.request.method': 'POST',
      'http.response.status_code': expect.any(Number) as unknown,
      'server.address': '127.0.0.1',
      'server.port': Number(new URL(sandbox.baseUrl).port),
      'payments.phase': 'answered',
      'payments.code': span.attributes['payments.code'],
      'payments.request_id': span.attributes['payments.request_id'],
    });
  });

  it('the span of a call is a root span if none is active', async () => {
    await payments.app.get(WalletService).balance();
    expect(telemetry.span('wallet.balance').parentSpanContext).toBeUndefined();
    expect(telemetry.span('GET wallet.balance').attributes).toMatchObject({ 'http.request.method': 'GET' });
  });

  it('the span of a try is active while the try is sent, and no span of the call is active afterwards', async () => {
    const http = payments.app.get<HttpService>(getPaymentsToken(HttpService));
    let active: Span | undefined;
    http.axiosRef.interceptors.request.use((config) => {
      active = trace.getActiveSpan();
      return config;
    });
    await payments.app.get(WalletService).balance();
    expect(active?.spanContext().spanId).toBe(telemetry.span('GET wallet.balance').spanContext().spanId);
    expect(trace.getActiveSpan()).toBeUndefined();
  });

  it('calls that are made at the same time have separate spans', async () => {
    const tracer = telemetry.tracerProvider.getTracer('shop');
    const orders = ['a', 'b'].map((name) => tracer.startSpan(name));
    await Promise.all(
      orders.map((order, index) =>
        context.with(trace.setSpan(context.active(), order), () =>
          payments.collections.mobileMoney({ ...collectionRequest, reference: `order-${index}` }),
        ),
      ),
    );
    const spans = telemetry.spans().filter(({ name }) => name === 'collection.mobile-money');
    expect(new Set(spans.map(({ parentSpanContext }) => parentSpanContext?.spanId))).toEqual(
      new Set(orders.map((order) => order.spanContext().spanId)),
    );
  });

  it('the span of a call shows every try and counts the retries', async () => {
    sandbox.next(PAY).status(429, { retryAfter: 0 });
    await payments.collections.mobileMoney(collectionRequest);
    const tries = telemetry.spans().filter(({ name }) => name === 'POST collection.mobile-money');
    expect(tries.map(({ attributes }) => attributes)).toMatchObject([
      { 'http.response.status_code': 429, 'error.type': '429' },
      { 'http.request.resend_count': 1, 'payments.phase': 'answered' },
    ]);
    expect(tries.map(({ status }) => status.code)).toEqual([SpanStatusCode.ERROR, SpanStatusCode.UNSET]);
    expect(await telemetry.measured('payments.retries')).toEqual([
      { metric: 'payments.retries', attributes: call, value: 1 },
    ]);
    expect(await telemetry.measured('payments.wait.duration')).toEqual([
      { metric: 'payments.wait.duration', attributes: { ...call, 'payments.reason': 'retry' }, value: 1 },
    ]);
  });

  it('the span of a call with an unknown outcome says so, with the evidence', async () => {
    sandbox.next(PAY_OUT).dropAfterProcessing();
    await lost(payments.disbursements.mobileMoney(mobileRequest));
    const span = telemetry.span('disbursement.mobile-money');
    expect(span.status.code).toBe(SpanStatusCode.ERROR);
    expect(span.attributes).toMatchObject({
      'payments.outcome': 'unknown',
      'payments.evidence': 'no-answer',
      'error.type': 'PaymentOutcomeUnknownError',
    });
    const attempt = telemetry.span('POST disbursement.mobile-money');
    expect(attempt.status.code).toBe(SpanStatusCode.ERROR);
    expect(attempt.attributes).toMatchObject({
      'payments.phase': 'ambiguous',
      'error.type': expect.stringMatching(/^(ECONNRESET|UND_ERR_SOCKET)$/) as unknown,
    });
    expect(await telemetry.measured('payments.unknowns')).toEqual([
      { metric: 'payments.unknowns', attributes: { ...payout, 'payments.evidence': 'no-answer' }, value: 1 },
    ]);
  });

  it('the metrics and a span show a payment that the storage refuses', async () => {
    payments.crash();
    await lost(payments.collections.mobileMoney(collectionRequest));
    const refused = { 'payments.outcome': 'failed', 'error.type': 'PaymentsStorageError' };
    expect(telemetry.spans().map(({ name }) => name)).toEqual(['collection.mobile-money']);
    expect(telemetry.span('collection.mobile-money').attributes).toMatchObject({
      ...refused,
      'payments.attempts': 0,
    });
    expect(await telemetry.measured('payments.calls')).toEqual([
      { metric: 'payments.calls', attributes: { ...call, ...refused }, value: 1 },
    ]);
  });

  it('the metrics count and time calls by operation and outcome', async () => {
    await payments.collections.mobileMoney(collectionRequest);
    await payments.collections.mobileMoney({ ...collectionRequest, reference: 'order-2' });
    await lost(payments.disbursements.mobileMoney({ ...mobileRequest, amount: '900000000' }));
    const outcomes = [
      { attributes: { ...call, 'payments.outcome': 'success' }, value: 2 },
      {
        attributes: { ...payout, 'payments.outcome': 'failed', 'error.type': 'PaymentRejectedError' },
        value: 1,
      },
    ];
    for (const metric of ['payments.calls', 'payments.call.duration']) {
      expect(await telemetry.measured(metric)).toEqual(outcomes.map((one) => ({ metric, ...one })));
    }
    expect(await telemetry.measured('payments.attempt.duration')).toMatchObject([
      { attributes: { ...call, 'payments.phase': 'answered' }, value: 2 },
      {
        attributes: { ...payout, 'payments.phase': 'answered', 'error.type': expect.any(String) as unknown },
        value: 1,
      },
    ]);
    expect(await telemetry.measured('payments.unknowns')).toEqual([]);
  });

  it('telemetry shows no person, key or address, and the reference only if the application asks for it', async () => {
    const secrets = [
      ...[collectionRequest, mobileRequest].flatMap((request) =>
        Object.values({ ...request, amount: undefined, network: undefined }),
      ),
      sandbox.moduleOptions().apiKey,
      sandbox.moduleOptions().apiSecret,
    ].filter((value): value is string => typeof value === 'string');
    expect(secrets.length).toBeGreaterThan(8);
    const seen = async (): Promise<string> =>
      JSON.stringify([
        telemetry
          .spans()
          .map(({ name, attributes, events, status }) => ({ name, attributes, events, status })),
        await telemetry.measured(),
      ]);
    await payments.collections.mobileMoney(collectionRequest);
    sandbox.next(PAY_OUT).html(502);
    await lost(payments.disbursements.mobileMoney(mobileRequest));
    for (const secret of secrets) expect(await seen()).not.toContain(secret);
    stop();
    stop = instrumentPayments({
      tracerProvider: telemetry.tracerProvider,
      meterProvider: telemetry.meterProvider,
      references: true,
    });
    await payments.collections.mobileMoney({ ...collectionRequest, reference: 'order-7' });
    expect(telemetry.spans().at(-1)?.attributes).toMatchObject({ 'payments.reference': 'order-7' });
    expect(JSON.stringify(await telemetry.measured())).not.toContain('order-7');
  });

  it('metrics name no account unless the application asks for it', async () => {
    stop();
    await telemetry.stop();
    telemetry = new Telemetry();
    stop = instrumentPayments(telemetry);
    await payments.collections.mobileMoney(collectionRequest);
    await lost(payments.disbursements.mobileMoney(mobileRequest));
    expect(telemetry.spans().at(-1)?.attributes).toMatchObject({ 'payments.account': 'default' });
    const measured = await telemetry.measured();
    expect(measured.map(({ metric }) => metric)).toContain('payments.calls');
    expect(measured.filter(({ attributes }) => 'payments.account' in attributes)).toEqual([]);
  });

  it('an instrumentation that is stopped ends its open spans and makes no others', async () => {
    sandbox.next('GET /merchant-balance').hang();
    const controller = new AbortController();
    const http = payments.app.get<HttpService>(getPaymentsToken(HttpService));
    const sending = new Promise<void>((resolve) => {
      http.axiosRef.interceptors.request.use((config) => {
        resolve();
        return config;
      });
    });
    const hanging = lost(payments.app.get(WalletService).balance({ signal: controller.signal }));
    await sending;
    expect(telemetry.spans()).toEqual([]);
    stop();
    expect(telemetry.spans().map(({ name }) => name)).toEqual(['GET wallet.balance', 'wallet.balance']);
    controller.abort();
    await hanging;
    await payments.collections.mobileMoney(collectionRequest);
    expect(telemetry.spans()).toHaveLength(2);
    expect(await telemetry.measured('payments.calls')).toEqual([]);
  });

  describe('of the journal', () => {
    const AGE = 'payments.journal.oldest_unresolved.age';

    it('the gauge over all accounts names none of them, unless the application asks for it', async () => {
      const accounts = payments.app.get(PaymentsAccounts);
      const end = observeAllJournals(accounts, telemetry);
      expect(await telemetry.measured(AGE)).toEqual([{ metric: AGE, attributes: {}, value: 0 }]);
      await payments.collections.mobileMoney(collectionRequest);
      now += 90_000;
      const live = { environment: 'production', state: 'unknown', evidence: 'no-answer' } as const;
      await storage.journal.insert(journalRecord('order-1', { ...live, account: 'shop-7' }), 0);
      now += 500;
      expect(await telemetry.measured(AGE)).toEqual([{ metric: AGE, attributes: {}, value: 90.5 }]);
      end();
      const { meterProvider } = telemetry;
      observeAllJournals(accounts, { meterProvider, accountLabel: true });
      const ofEach = (await telemetry.measured(AGE)).filter(
        ({ attributes }) => 'payments.account' in attributes,
      );
      expect(ofEach).toEqual([
        { metric: AGE, attributes: { 'payments.account': 'default' }, value: 90.5 },
        { metric: AGE, attributes: { 'payments.account': 'shop-7' }, value: 0.5 },
      ]);
    });

    it('the gauge of the journal gives the age of the oldest open payment in seconds, until it is stopped', async () => {
      const end = observeJournal(payments.journal, telemetry);
      const attributes = { 'payments.account': 'default' };
      expect(await telemetry.measured(AGE)).toEqual([{ metric: AGE, attributes, value: 0 }]);
      await payments.collections.mobileMoney(collectionRequest);
      now += 90_000;
      await payments.collections.mobileMoney({ ...collectionRequest, reference: 'order-2' });
      now += 500;
      expect(await telemetry.measured(AGE)).toEqual([{ metric: AGE, attributes, value: 90.5 }]);
      await payments.journal.settle('collection', 'order-1', 'success');
      expect(await telemetry.measured(AGE)).toEqual([{ metric: AGE, attributes, value: 0.5 }]);
      end();
      now += 60_000;
      // The SDK repeats the last value.
      expect(await telemetry.measured(AGE)).toMatchObject([{ value: 0.5 }]);
    });

    it('the gauge of the journal gives no value while the storage does not answer', async () => {
      observeJournal(payments.journal, telemetry);
      payments.crash();
      expect(await telemetry.measured(AGE)).toEqual([]);
    });
  });
});
