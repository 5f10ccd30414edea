/**
 * Signed webhooks and complete records for tests without the emulator.
 *
 * @module nestjs-payments/testing
 */

export { paymentEvent } from './payment-event.js';
export { bankDisbursement, collectionPayment, mobileMoneyDisbursement } from './payment-records.js';
export { postWebhook, type WebhookResponse } from './post-webhook.js';
export { signWebhook, type SignWebhookOptions } from './sign-webhook.js';
