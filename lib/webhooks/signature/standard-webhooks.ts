import { type WebhookScheme } from '../../common/webhook-scheme.js';
import { checkHeaderName, checkScheme, checkTolerance, schemeOptions } from './scheme-option-checks.js';
import { hmacForm, signedScheme } from './signed-scheme.js';

/**
 * Options of `standardWebhooks()`.
 *
 * @publicApi
 */
export interface StandardWebhooksOptions {
  /** Start of the three header names; `svix` for senders that write `svix-id`. @default 'webhook' */
  readonly prefix?: string;
  /** How far the sender's clock may be off, in both directions. @default 300 */
  readonly toleranceSeconds?: number;
}

/**
 * Webhooks signed as the Standard Webhooks specification says: headers `webhook-id`, `webhook-timestamp` and
 * `webhook-signature`, a list of `v1,` signatures (HMAC-SHA256, base64). A secret is 24 to 64 bytes in
 * base64, with or without `whsec_` before it. Signatures with a public key (`v1a`) are not checked.
 *
 * @throws PaymentsConfigError if an option is wrong or unknown.
 *
 * @example
 * ```ts
 * PaymentsModule.forRoot({ ...options, webhooks: { scheme: standardWebhooks(), secrets: [secret] } });
 * ```
 *
 * @publicApi
 */
export function standardWebhooks(options: StandardWebhooksOptions = {}): WebhookScheme {
  const { prefix = 'webhook', toleranceSeconds = 300 } = schemeOptions('standardWebhooks', options);
  checkScheme('standardWebhooks', options, ['prefix', 'toleranceSeconds'], (wrong) => {
    checkHeaderName(wrong, 'prefix', prefix);
    checkTolerance(wrong, 'toleranceSeconds', toleranceSeconds);
  });
  const form = hmacForm({
    header: `${prefix}-signature`,
    algorithm: 'sha256',
    encoding: 'base64',
    prefix: 'v1,',
    signatures: { separator: ' ' },
    id: { header: `${prefix}-id` },
    timestamp: { header: `${prefix}-timestamp`, unit: 's', toleranceSeconds },
    payload: ['id', { literal: '.' }, 'timestamp', { literal: '.' }, 'body'],
  });
  return signedScheme({
    ...form,
    name: 'standard-webhooks',
    secretForm: { encoding: 'base64', prefix: 'whsec_', minBytes: 24, maxBytes: 64 },
  });
}
