/**
 * The testing module, signed webhooks and complete records for tests.
 *
 * @module nestjs-payments/testing
 */

import 'reflect-metadata';

export { paymentEvent } from './payment-event.js';
export { bankDisbursement, collectionPayment, mobileMoneyDisbursement } from './payment-records.js';
export { PaymentsTestingModule } from './payments-testing.module.js';
export { postWebhook, type WebhookResponse } from './post-webhook.js';
export { signWebhook, type SignWebhookOptions } from './sign-webhook.js';
export {
  type PaymentsTestedOptions,
  type PaymentsTestingOptions,
  type PaymentsTestingOverrides,
} from './testing-options.js';
