// Hearing outcomes, and testing an application that does.
import { Controller, type INestApplication, Injectable, Post, UseGuards } from '@nestjs/common';
import {
  type InboxConflict,
  OnPayment,
  PaymentEvent,
  type PaymentEventContext,
  type PaymentEventName,
  PaymentsInbox,
  PaymentsWebhook,
  PaymentsWebhookGuard,
  type PaymentWebhookEvent,
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
  Expect<Equal<PaymentEventContext['deliveredAt'], Date>>,
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
}

@Injectable()
export class Orders {
  constructor(private readonly inbox: PaymentsInbox) {}

  @OnPayment('payment.success')
  @OnPayment('payment.failed', { account: 'payouts' })
  async decided(event: PaymentWebhookEvent, context: PaymentEventContext): Promise<void> {
    context.signal.throwIfAborted();
    await Promise.resolve(event.data.metadata?.['basket']);
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
    for (const { id } of conflicts) await this.inbox.release(id);
    return this.inbox.purge();
  }
}

export async function testAnApplication(app: INestApplication, scheme: WebhookScheme): Promise<unknown> {
  const event: PaymentWebhookEvent = paymentEvent('payment.success', {
    reference: 'order-1',
    amount: '1180.50',
  });
  const body = JSON.stringify(paymentEvent('payment.expired'));
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
