import { type WebhookScheme } from '../common/webhook-scheme.js';
import { type WebhookSecret } from '../config/payments-options.js';

/** The bytes of a secret, written as in the options. A wrong secret must sign too: tests need bad signatures. */
export function signingKey(scheme: WebhookScheme, secret: WebhookSecret): Uint8Array {
  const { value, encoding } = typeof secret === 'string' ? { value: secret, encoding: undefined } : secret;
  return Buffer.from(value, encoding ?? scheme.secretEncoding ?? 'utf8');
}
