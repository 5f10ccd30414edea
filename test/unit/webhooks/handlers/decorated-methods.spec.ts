import { expect, it } from 'vitest';
import {
  DECLARED_ROUTE,
  ON_PAYMENT,
  ON_PAYMENT_METHODS,
  WEBHOOK_ROUTE,
} from '../../../../lib/webhooks/handlers/decorated-methods.js';

it('are fixed strings: two copies of the package in one application know the same routes and handlers', () => {
  expect({ DECLARED_ROUTE, ON_PAYMENT, ON_PAYMENT_METHODS, WEBHOOK_ROUTE }).toEqual({
    DECLARED_ROUTE: 'nestjs-payments:declared-route',
    ON_PAYMENT: 'nestjs-payments:on-payment',
    ON_PAYMENT_METHODS: 'nestjs-payments:on-payment-methods',
    WEBHOOK_ROUTE: 'nestjs-payments:webhook-route',
  });
});
