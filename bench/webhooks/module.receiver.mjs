import { Controller, Injectable, Module } from '@nestjs/common';
import { hmac, OnPayment, PaymentEvent, PaymentsModule, PaymentsWebhook } from 'nestjs-payments';
import { decorate, decorateClass } from './decorate.mjs';
import { SECRET } from './deliveries.mjs';
import { serve } from './nest-application.mjs';

const counts = { handled: 0, logged: 0 };

class WebhooksController {
  received() {}
}
decorate(WebhooksController.prototype, 'received', [PaymentsWebhook('payments')], [PaymentEvent()]);
decorateClass(WebhooksController, [Controller('webhooks')]);

class Orders {
  async paid() {
    counts.handled += 1;
  }
}
decorate(Orders.prototype, 'paid', [OnPayment('payment.success')]);
decorateClass(Orders, [Injectable()]);

/**
 * The package: capture, signature, inbox, one handler.
 *
 * @param storage Its own default where it is left out.
 */
export function start({ adapter, storage }) {
  const payments = PaymentsModule.forRoot({
    baseUrl: 'http://127.0.0.1:1/api/v1',
    apiKey: 'pk_test_bench',
    apiSecret: 'sk_test_bench',
    ...(storage && { storage }),
    webhooks: {
      scheme: hmac({
        header: 'x-webhook-signature',
        algorithm: 'sha256',
        encoding: 'hex',
        payload: ['body'],
      }),
      secrets: [SECRET],
    },
  });
  const module = decorateClass(class {}, [
    Module({ imports: [payments], controllers: [WebhooksController], providers: [Orders] }),
  ]);
  return serve(module, { adapter }, counts);
}
