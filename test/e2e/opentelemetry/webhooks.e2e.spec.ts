import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Injectable } from '@nestjs/common';
import { context, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { type ReadableSpan } from '@opentelemetry/sdk-trace-base';
import {
  OnPayment,
  type PaymentEventContext,
  PaymentsInbox,
  type PaymentWebhookEvent,
} from 'nestjs-payments';
import { instrumentPayments } from 'nestjs-payments/opentelemetry';
import { paymentEvent, signWebhook } from 'nestjs-payments/testing';
import { useQueue, type QueuedDelivery, workOn } from '../../support/delivery-queue.js';
import { Telemetry } from '../../support/telemetry.js';
import {
  adapters,
  deliver,
  paymentsOptions,
  scheme,
  secret,
  send,
  startWebhookApp,
  type WebhookApp,
} from '../../support/webhook-app.js';
import { WebhooksController } from '../../support/webhooks.controller.js';

const PATH = '/webhooks/payments';
let behaviour: (context: PaymentEventContext) => unknown;

class StockError extends Error {}

@Injectable()
class Orders {
  @OnPayment('payment.success')
  paid(_event: PaymentWebhookEvent, context: PaymentEventContext): unknown {
    return behaviour(context);
  }
}

describe.each(adapters)('the telemetry of webhooks on %s', (adapter) => {
  let telemetry: Telemetry;
  let running: WebhookApp;
  let stop: () => void;

  beforeEach(async () => {
    behaviour = () => undefined;
    telemetry = new Telemetry();
    const { tracerProvider, meterProvider } = telemetry;
    stop = instrumentPayments({ tracerProvider, meterProvider, accountLabel: true });
    running = await startWebhookApp(adapter, {
      controllers: [WebhooksController],
      providers: [Orders],
      payments: [paymentsOptions({ inFlightWaitMs: 0, handlerTimeoutMs: 1_000, leaseMs: 2_000 })],
    });
  });

  afterEach(async () => {
    stop();
    await running.app.close();
    await telemetry.stop();
  });

  const paid = paymentEvent('payment.success', { reference: 'order-1' });
  const parentOf = (span: ReadableSpan): string | undefined => span.parentSpanContext?.spanId;
  const idOf = (span: ReadableSpan): string => span.spanContext().spanId;
  const results = async (): Promise<readonly unknown[]> =>
    (await telemetry.measured('payments.webhooks')).map(({ attributes, value }) => [
      attributes['payments.event'],
      attributes['payments.webhook.kind'],
      attributes['payments.webhook.result'],
      value,
    ]);

  it('a webhook has a span, and each step of its work has a span under that', async () => {
    await deliver(running.port, paid);
    const webhook = telemetry.span('process payment.success');
    expect(webhook).toMatchObject({ kind: SpanKind.CONSUMER, status: { code: SpanStatusCode.UNSET } });
    expect(webhook.attributes).toEqual({
      'messaging.system': 'nestjs-payments',
      'messaging.operation.name': 'process',
      'messaging.operation.type': 'process',
      'http.response.status_code': 200,
      'payments.account': 'default',
      'payments.event': 'payment.success',
      'payments.webhook.source': 'request',
      'payments.webhook.kind': 'outcome',
      'payments.webhook.result': 'handled',
    });
    const steps = telemetry.spans().filter((span) => parentOf(span) === idOf(webhook));
    expect(steps.map(({ name }) => name)).toEqual([
      'PaymentsJournal',
      'Orders.paid',
      'WebhooksController.received',
    ]);
    expect(telemetry.span('Orders.paid').attributes).toEqual({
      'code.function.name': 'Orders.paid',
      'payments.account': 'default',
      'payments.event': 'payment.success',
      'payments.webhook.attempt': 1,
    });
    expect(await telemetry.measured('payments.webhook.duration')).toMatchObject([{ value: 1 }]);
    expect(await telemetry.measured('payments.webhook.handler.duration')).toHaveLength(3);
  });

  it('the span of a step is active while its handler runs, so the spans of the handler are under it', async () => {
    const tracer = telemetry.tracerProvider.getTracer('shop');
    behaviour = async () => {
      await new Promise(setImmediate);
      tracer.startSpan('UPDATE orders').end();
    };
    await deliver(running.port, paid);
    expect(parentOf(telemetry.span('UPDATE orders'))).toBe(idOf(telemetry.span('Orders.paid')));
    expect(trace.getActiveSpan()).toBeUndefined();
  });

  it('the span of a webhook is under the span that the host made for the request', async () => {
    const request = telemetry.tracerProvider.getTracer('http').startSpan('POST');
    const inbox = running.app.get(PaymentsInbox);
    const body = JSON.stringify(paid);
    await context.with(trace.setSpan(context.active(), request), () =>
      inbox.receive(body, signWebhook({ scheme, secret, body })),
    );
    expect(parentOf(telemetry.span('process payment.success'))).toBe(request.spanContext().spanId);
  });

  it('the span of a failed handler shows only the class of its error, and the next run has a span too', async () => {
    behaviour = () => {
      throw new StockError('Asha Juma, 255712345678');
    };
    expect((await deliver(running.port, paid)).status).toBe(500);
    behaviour = () => undefined;
    expect((await deliver(running.port, paid)).status).toBe(200);
    const runs = telemetry.spans().filter(({ name }) => name === 'Orders.paid');
    expect(runs.map(({ attributes, status }) => [attributes['error.type'], status.code])).toEqual([
      ['StockError', SpanStatusCode.ERROR],
      [undefined, SpanStatusCode.UNSET],
    ]);
    expect(runs[1]?.attributes).toMatchObject({ 'payments.webhook.attempt': 2 });
    expect(await results()).toEqual([
      ['payment.success', 'outcome', 'failed', 1],
      ['payment.success', 'outcome', 'handled', 1],
    ]);
    const all = telemetry
      .spans()
      .map(({ name, attributes, events, status }) => ({ name, attributes, events, status }));
    const seen = JSON.stringify([all, await telemetry.measured()]);
    for (const personal of [
      'Asha',
      '255712345678',
      'order-1',
      ...(Object.values(paid.data) as readonly unknown[]),
    ]) {
      if (typeof personal !== 'string' || personal.length < 4 || personal === 'success') continue;
      expect(seen).not.toContain(personal);
    }
  });

  it('repeated, contradicting, mismatched and unrecognized webhooks have different results in telemetry', async () => {
    await deliver(running.port, paid);
    await deliver(running.port, paid);
    await deliver(running.port, paymentEvent('payment.failed', { reference: 'order-1' }));
    await deliver(running.port, paymentEvent('payment.success', { reference: 'order-2', status: 'failed' }));
    await deliver(running.port, { ...paid, event: 'payment.of-asha-juma' });
    expect(await results()).toEqual([
      ['payment.success', 'outcome', 'handled', 1],
      ['payment.success', 'outcome', 'repeated', 1],
      ['payment.failed', 'conflict', 'handled', 1],
      ['payment.success', 'mismatch', 'handled', 1],
      ['unrecognized', 'unrecognized', 'handled', 1],
    ]);
    expect(telemetry.spans().map(({ name }) => name)).toContain('process unrecognized');
    const inbox = running.app.get(PaymentsInbox);
    const [conflict] = await inbox.conflicts();
    await inbox.release(conflict!.id);
    expect(telemetry.spans().at(-1)?.attributes).toMatchObject({ 'payments.webhook.source': 'release' });
  });

  it('the span of a webhook ends with its answer, and the span of a slow handler ends with the handler', async () => {
    let end = (): void => undefined;
    behaviour = ({ signal }) =>
      new Promise<void>((resolve) => {
        end = resolve;
        signal.addEventListener('abort', () => undefined);
      });
    expect((await deliver(running.port, paid)).status).toBe(503);
    const webhook = telemetry.span('process payment.success');
    expect(webhook.attributes).toMatchObject({ 'payments.webhook.result': 'later', 'error.type': 'later' });
    expect(telemetry.spans().map(({ name }) => name)).not.toContain('Orders.paid');
    end();
    await running.app.close();
    expect(parentOf(telemetry.span('Orders.paid'))).toBe(idOf(webhook));
  });

  it('a webhook that is stored for a worker has a span, and so has the work of the worker', async () => {
    const stored: QueuedDelivery[] = [];
    useQueue(running.app, (delivery) => {
      stored.push(delivery);
      return Promise.resolve();
    });
    await deliver(running.port, paid);
    await workOn(running.app, stored[0]!);
    const webhooks = telemetry.spans().filter(({ name }) => name === 'process payment.success');
    expect(webhooks.map(({ attributes }) => attributes)).toMatchObject([
      { 'payments.webhook.source': 'request', 'payments.webhook.result': 'queued' },
      { 'payments.webhook.source': 'queue', 'payments.webhook.result': 'handled' },
    ]);
    expect(webhooks[0]?.attributes).not.toHaveProperty('payments.webhook.kind');
    for (const metric of ['payments.webhooks', 'payments.webhook.duration']) {
      const counted = await telemetry.measured(metric);
      expect(counted.map(({ attributes, value }) => [attributes['payments.webhook.source'], value])).toEqual([
        ['request', 1],
        ['queue', 1],
      ]);
    }
  });

  it('the metrics count refused deliveries by their status', async () => {
    const json = { 'content-type': 'application/json' };
    await send(running.port, PATH, '{}', { ...json, 'x-webhook-signature': 'wrong' });
    await send(running.port, PATH, '{}', json);
    await deliver(running.port, 'no json');
    await deliver(running.port, { event: 'payment.success' });
    const attributes = { 'payments.account': 'default' };
    expect(await telemetry.measured('payments.webhook.refusals')).toEqual(
      [
        [401, 2],
        [400, 1],
        [422, 1],
      ].map(([status, value]) => ({
        metric: 'payments.webhook.refusals',
        attributes: { ...attributes, 'http.response.status_code': status },
        value,
      })),
    );
    expect(await telemetry.measured('payments.webhooks')).toEqual([]);
    expect(telemetry.spans()).toEqual([]);
  });
});
