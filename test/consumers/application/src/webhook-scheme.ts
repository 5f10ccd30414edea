import { hmac } from 'nestjs-payments';

export const webhookScheme = hmac({
  header: 'x-webhook-signature',
  algorithm: 'sha256',
  encoding: 'hex',
  payload: ['body'],
});
