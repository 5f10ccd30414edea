import { Controller, Module, Post, RawBody, Headers } from '@nestjs/common';
import Stripe from 'stripe-current';
import { decorate, decorateClass } from './decorate.mjs';
import { SECRET } from './deliveries.mjs';
import { serve } from './nest-application.mjs';

const counts = { handled: 0, logged: 0 };
const stripe = new Stripe('sk_test_bench');

class WebhooksController {
  received(body, signature) {
    const { type } = stripe.webhooks.constructEvent(body, signature, SECRET);
    if (type === 'payment_intent.succeeded') counts.handled += 1;
  }
}
decorate(
  WebhooksController.prototype,
  'received',
  [Post('payments')],
  [RawBody(), Headers('stripe-signature')],
);
decorateClass(WebhooksController, [Controller('webhooks')]);

/** stripe-node as its documents show it: signature and JSON, no inbox. */
export function start({ adapter }) {
  const module = decorateClass(class {}, [Module({ controllers: [WebhooksController] })]);
  return serve(module, { adapter, rawBody: true }, counts);
}
