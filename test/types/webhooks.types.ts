// Hearing outcomes, and testing an application that does.
import { type IncomingMessage } from 'node:http';
import { Controller, type INestApplication, Injectable, Post, UseGuards } from '@nestjs/common';
import {
  customScheme,
  hmac,
  type InboxConflict,
  OnPayment,
  PaymentEvent,
  type PaymentEventContext,
  type PaymentEventName,
  PaymentsInbox,
  PaymentsWebhook,
  PaymentsWebhookGuard,
  type PaymentWebhookEvent,
  type SetAsideKind,
  standardWebhooks,
  stripeStyle,
  verifyWebhook,
  type WebhookHttpAnswer,
  type WebhookOptions,
  type WebhookRefusedError,
  type WebhookScheme,
} from 'nestjs-payments';
import { paymentEvent, postWebhook, signWebhook } from 'nestjs-payments/testing';
import { type Equal, type Expect } from './expect.js';

export type Checks = [
  Expect<
    Equal<PaymentEventName, 'payment.success' | 'payment.failed' | 'payment.cancelled' | 'payment.expired'>
  >,
  Expect<Equal<PaymentWebhookEvent['data']['amount'], string>>,
  Expect<Equal<PaymentEventContext['account'], string>>,
  Expect<Equal<PaymentEventContext['attempt'], number>>,
  Expect<Equal<PaymentEventContext['known'], boolean>>,
  Expect<Equal<PaymentEventContext['deliveredAt'], Date>>,
  Expect<Equal<SetAsideKind, 'conflict' | 'mismatch' | 'unrecognized' | 'unknown-reference'>>,
  Expect<Equal<WebhookOptions['unknownReferences'], 'handle' | 'set-aside' | 'acknowledge' | undefined>>,
  Expect<Equal<PaymentEventContext['signal'], AbortSignal>>,
];

@Controller('webhooks')
export class WebhooksController {
  @PaymentsWebhook('payments')
  received(@PaymentEvent() event: PaymentWebhookEvent): string {
    return event.data.reference;
  }

  @PaymentsWebhook('payouts', { account: 'payouts' })
  ofAnotherAccount(): void {}

  @Post('verified-only')
  @UseGuards(PaymentsWebhookGuard)
  verified(): void {}

  @Post('verified-only/payouts')
  @UseGuards(PaymentsWebhookGuard.for('payouts'))
  verifiedToo(): void {}
}

@Injectable()
export class Orders {
  constructor(private readonly inbox: PaymentsInbox) {}

  @OnPayment('payment.success')
  @OnPayment('payment.failed', { account: 'payouts', id: 'orders.paid' })
  async decided(event: PaymentWebhookEvent, context: PaymentEventContext): Promise<void> {
    context.signal.throwIfAborted();
    if (!context.known) return;
    await Promise.resolve(event.data.metadata?.['basket']);
    // @ts-expect-error -- no such field
    await Promise.resolve(event.data.refrence);
    await Promise.resolve((event.data as { idempotency_key?: unknown }).idempotency_key);
  }

  @OnPayment('*')
  @OnPayment('payment.conflict')
  @OnPayment('payment.mismatch')
  @OnPayment('unrecognized')
  any(): void {}

  // @ts-expect-error -- no such event
  @OnPayment('payment.paid')
  mistyped(): void {}

  async clearUp(): Promise<number> {
    const conflicts: readonly InboxConflict[] = await this.inbox.conflicts();
    const page = await this.inbox.conflicts({ after: conflicts.at(-1)?.id, limit: 10 });
    const again: InboxConflict | undefined = await this.inbox.conflict(page[0]?.id ?? '');
    const kinds: readonly SetAsideKind[] = page.map(({ kind }) => kind);
    if (kinds.includes('unrecognized')) await this.inbox.purge({ unrecognizedOlderThanMs: 1 });
    for (const { id } of again ? [...conflicts, again] : conflicts) await this.inbox.release(id);
    return this.inbox.purge();
  }
}

export const SCHEMES: readonly WebhookScheme[] = [
  hmac({
    header: 'x-signature',
    algorithm: 'sha384',
    encoding: 'base64url',
    prefix: 'v1=',
    payload: [{ literal: 'v1:' }, 'id', { header: 'x-merchant' }, 'timestamp', 'body'],
    id: { header: 'x-id' },
    timestamp: { header: 'x-time', unit: 'iso', toleranceSeconds: 300 },
    signatures: { separator: ',' },
  }),
  standardWebhooks(),
  standardWebhooks({ prefix: 'svix', toleranceSeconds: 60 }),
  stripeStyle({ header: 'x-signature' }),
  stripeStyle({ header: 'x-signature', unit: 'ms', signatureKey: 's', separator: '#', toleranceSeconds: 60 }),
  hmac({ header: 'x-signature', algorithm: 'sha256', encoding: 'hex', payload: ['method', 'url', 'body'] }),
  customScheme({ name: 'own', signsTime: true, verify: () => ({ ok: false, reason: 'never' }) }),
  customScheme({
    name: 'of the request',
    secretForm: { encoding: 'hex', minBytes: 8 },
    verify: ({ method, url }) =>
      `${method satisfies string | undefined}${url satisfies string | undefined}` === 'POST/'
        ? { ok: true }
        : { ok: false, reason: 'never' },
  }),
];

// @ts-expect-error -- there is no default header
stripeStyle();

export const ROTATING: Pick<WebhookOptions, 'secrets'> = {
  secrets: [
    'whsec_…',
    { value: 'short', allowShort: true },
    { value: 'whsec_…', notAfter: '2026-12-31' },
    { value: '00ff', encoding: 'hex', notAfter: new Date() },
  ],
};

export async function receiveAnywhere(
  inbox: PaymentsInbox,
  request: IncomingMessage & { readonly rawBody: Buffer },
  fetched: Request,
): Promise<WebhookHttpAnswer[]> {
  const check = { scheme: standardWebhooks(), secrets: ['whsec_…'], now: new Date(), url: '/hooks' };
  const events: PaymentWebhookEvent[] = [
    await verifyWebhook(request.rawBody, request.headers, check),
    await verifyWebhook(await fetched.arrayBuffer(), fetched.headers, check),
    await verifyWebhook('{}', [['webhook-id', 'one']], check),
    await verifyWebhook('{}', { 'webhook-id': ['one'], cookie: undefined }, check),
  ];
  // @ts-expect-error -- a parsed body has lost its bytes
  await verifyWebhook(events[0], request.headers, check);
  // @ts-expect-error -- there is no default scheme
  await verifyWebhook('{}', request.headers, { secrets: [] });
  return [
    await inbox.receive(request.rawBody, request.headers),
    await inbox.receive('{}', fetched.headers, { method: fetched.method, url: fetched.url }),
  ];
}

export function answerOf(error: WebhookRefusedError): 400 | 401 | 413 | 415 | 422 {
  return error.status;
}

export async function testAnApplication(app: INestApplication, scheme: WebhookScheme): Promise<unknown> {
  const event: PaymentWebhookEvent = paymentEvent('payment.success', {
    reference: 'order-1',
    amount: '1180.50',
  });
  const body = JSON.stringify(paymentEvent('payment.expired', { idempotency_key: 'key' }));
  // @ts-expect-error -- an amount is text
  paymentEvent('payment.success', { amount: 1180.5 });
  const headers: Record<string, string> = signWebhook({
    scheme,
    secret: 'a-secret-of-some-length',
    body,
    now: new Date(),
  });
  const { status } = await postWebhook(app, '/webhooks/payments', event, {
    scheme,
    secret: 'a-secret-of-some-length',
  });
  return [headers, status satisfies number];
}
