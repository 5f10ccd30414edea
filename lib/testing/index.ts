export { paymentEvent } from './payment-event.js';
export { postWebhook, type WebhookResponse } from './post-webhook.js';
export { signWebhook, type SignWebhookOptions } from './sign-webhook.js';
