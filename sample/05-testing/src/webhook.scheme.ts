import { hmac } from 'nestjs-payments';

/** How the gateway signs; the tests sign with it too. */
export const webhookScheme = hmac({
  header: 'x-webhook-signature',
  algorithm: 'sha256',
  encoding: 'hex',
  payload: ['body'],
});
