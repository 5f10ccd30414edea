import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type INestApplicationContext, Injectable, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import {
  memoryStorage,
  OnPayment,
  PaymentsInbox,
  PaymentsModule,
  type PaymentsStorage,
  type PaymentWebhookEvent,
  type WebhookHttpAnswer,
} from 'nestjs-payments';
import { paymentEvent, signWebhook } from 'nestjs-payments/testing';
import { LogLines, paymentsOptions, scheme, secret } from '../../support/webhook-app.js';

const event = paymentEvent('payment.success', { reference: 'order-1', customer_name: 'Zoë Mwangi 😀' });
const body = JSON.stringify(event);

let seen: PaymentWebhookEvent[];
let failWith: Error | undefined;

@Injectable()
class Orders {
  @OnPayment('payment.success')
  paid(payment: PaymentWebhookEvent): void {
    if (failWith) throw failWith;
    seen.push(payment);
  }
}

describe('PaymentsInbox.receive(), without any HTTP server', () => {
  let app: INestApplicationContext;
  let logs: LogLines;

  async function start(storage: PaymentsStorage = memoryStorage(), options = {}): Promise<PaymentsInbox> {
    @Module({
      imports: [PaymentsModule.forRoot(paymentsOptions({ bodyLimit: 1_000 }, { storage, ...options }))],
      providers: [Orders],
    })
    class WorkerModule {}
    logs = new LogLines();
    app = await NestFactory.createApplicationContext(WorkerModule, { logger: logs });
    return app.get(PaymentsInbox);
  }
  const signed = (text: string): Record<string, string> => ({
    'content-type': 'application/json',
    ...signWebhook({ scheme, secret, body: text }),
  });

  beforeEach(() => {
    seen = [];
    failWith = undefined;
  });
  afterEach(() => app.close());

  it('handles a genuine delivery once, however often it comes, and answers 200', async () => {
    const inbox = await start();
    const done: WebhookHttpAnswer = { status: 200, headers: {}, body: '' };
    expect(await inbox.receive(body, signed(body))).toEqual(done);
    expect(await inbox.receive(Buffer.from(body), new Headers(signed(body)))).toEqual(done);
    expect(seen).toEqual([event]);
  });

  it('sets another outcome for the same reference aside', async () => {
    const inbox = await start();
    await inbox.receive(body, signed(body));
    const failed = JSON.stringify(paymentEvent('payment.failed', { reference: 'order-1' }));
    expect(await inbox.receive(failed, signed(failed))).toMatchObject({ status: 200 });
    expect(await inbox.conflicts()).toMatchObject([{ kind: 'conflict', event: 'payment.failed' }]);
  });

  it('refuses a forged delivery like a route does, tells the log why, and publishes it', async () => {
    const inbox = await start();
    const refused: unknown[] = [];
    const hear = (message: unknown): void => void refused.push(message);
    subscribe('nestjs-payments:webhook:refused', hear);
    const forged = await inbox.receive(body.replace('order-1', 'order-2'), signed(body));
    unsubscribe('nestjs-payments:webhook:refused', hear);
    expect(forged).toEqual({
      status: 401,
      headers: { 'content-type': 'application/json; charset=utf-8' },
      body: JSON.stringify({
        message: 'The webhook signature is not valid.',
        error: 'Unauthorized',
        statusCode: 401,
      }),
    });
    expect(refused).toEqual([{ account: 'default', status: 401 }]);
    expect(logs.webhooks('warn').join()).toContain('no signature matches');
    expect(seen).toEqual([]);
  });

  it.each<[number, string, Record<string, string>]>([
    [413, `${body}${' '.repeat(1_000)}`, {}],
    [415, body, { 'content-type': 'text/plain' }],
    [415, body, { 'content-encoding': 'br' }],
    [400, '"text"', {}],
    [422, '{"event":"payment.success"}', {}],
  ])('answers %d when a route does', async (status, text, headers) => {
    const inbox = await start();
    expect(await inbox.receive(text, { ...signed(text), ...headers })).toMatchObject({ status });
    expect(logs.webhooks('error')).toHaveLength(status === 400 || status === 422 ? 1 : 0);
    expect(seen).toEqual([]);
  });

  it('answers 500 if a handler fails, and runs it again', async () => {
    const inbox = await start();
    failWith = new Error('the database is away');
    const failed = await inbox.receive(body, signed(body));
    expect(failed).toMatchObject({ status: 500, body: expect.stringContaining('A handler') as unknown });
    expect(failed.body).not.toContain('database');
    failWith = undefined;
    expect(await inbox.receive(body, signed(body))).toMatchObject({ status: 200 });
    expect(seen).toEqual([event]);
  });

  it('answers 503 with Retry-After if the storage cannot be reached, and while the application stops', async () => {
    const memory = memoryStorage();
    const inbox = Object.assign(Object.create(memory.inbox) as typeof memory.inbox, {
      claim: () => Promise.reject(new Error('ECONNREFUSED')),
    });
    const away = await (await start({ ...memory, inbox })).receive(body, signed(body));
    expect(away).toMatchObject({ status: 503, headers: { 'retry-after': '5' } });
    await app.close();
    const stopping = await start();
    await app.close();
    expect(await stopping.receive(body, signed(body))).toMatchObject({ status: 503 });
  });

  it('says what is wrong with the wiring instead of an answer', async () => {
    const inbox = await start();
    await expect(inbox.receive(event as never, signed(body))).rejects.toThrow('pass the raw body');
    await expect(inbox.receive(body, Object.entries(signed(body)).flat() as never)).rejects.toThrow(
      'pass [name, value] for each',
    );
    await app.close();
    const deaf = await start(memoryStorage(), { webhooks: undefined });
    await expect(deaf.receive(body, signed(body))).rejects.toThrow('add it before receiving a webhook');
  });
});
