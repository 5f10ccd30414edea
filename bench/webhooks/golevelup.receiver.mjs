import { StripeModule, StripeWebhookHandler } from '@golevelup/nestjs-stripe';
import { Injectable, Module } from '@nestjs/common';
import { decorate, decorateClass } from './decorate.mjs';
import { SECRET } from './deliveries.mjs';
import { serve } from './nest-application.mjs';

const counts = { handled: 0, logged: 0 };

class Orders {
  paid() {
    counts.handled += 1;
  }
}
decorate(Orders.prototype, 'paid', [StripeWebhookHandler('payment_intent.succeeded')]);
decorateClass(Orders, [Injectable()]);

/** The neighbour: signature and handler, no inbox. */
export function start({ adapter }) {
  const stripe = StripeModule.forRoot({
    apiKey: 'sk_test_bench',
    webhookConfig: {
      stripeSecrets: { account: SECRET },
      controllerPrefix: 'webhooks/payments',
      requestBodyProperty: 'rawBody',
    },
  });
  const module = decorateClass(class {}, [Module({ imports: [stripe], providers: [Orders] })]);
  return serve(module, { adapter, rawBody: true }, counts);
}
