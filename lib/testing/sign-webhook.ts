import { type WebhookScheme } from '../common/webhook-scheme.js';
import { secretBytes } from '../common/webhook-secret.js';
import { type WebhookSecret } from '../config/webhook-options.js';
import { PaymentsConfigError } from '../errors/payments-errors.js';

/**
 * Options of `signWebhook`.
 *
 * @publicApi
 */
export interface SignWebhookOptions {
  /** The scheme of the application's `webhooks` option. */
  readonly scheme: WebhookScheme;
  /** One of the application's signing secrets. */
  readonly secret: WebhookSecret;
  /** The exact body to send. */
  readonly body: string | Uint8Array;
  /** Time of signing: milliseconds since 1970, or a Date. @default now */
  readonly now?: number | Date;
  /** Other headers of the delivery, if the scheme signs one of them. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Method of the request, if the scheme signs it. @default 'POST' */
  readonly method?: string;
  /** Path and query of the request, if the scheme signs them. */
  readonly url?: string;
}

/**
 * The headers that sign a webhook like the gateway.
 *
 * @throws PaymentsConfigError if the scheme cannot sign, or `now` is no time.
 *
 * @example
 * ```ts
 * const body = JSON.stringify(paymentEvent('payment.success'));
 * await request(app.getHttpServer())
 *   .post('/webhooks/payments')
 *   .set('content-type', 'application/json')
 *   .set(signWebhook({ scheme, secret, body }))
 *   .send(body);
 * ```
 *
 * @publicApi
 */
export function signWebhook({
  scheme,
  secret,
  body,
  now,
  headers,
  method,
  url,
}: SignWebhookOptions): Record<string, string> {
  if (!scheme.sign) {
    throw new PaymentsConfigError(
      `The webhook scheme ${scheme.name} has no sign function: give customScheme() one, or sign in the test itself.`,
    );
  }
  const at = Number(now ?? Date.now());
  if (!Number.isFinite(at)) {
    throw new PaymentsConfigError(
      'now is no time: write milliseconds since 1970 or a valid Date, or leave it out.',
    );
  }
  return scheme.sign({
    body: typeof body === 'string' ? Buffer.from(body, 'utf8') : body,
    key: secretBytes(typeof secret === 'string' ? { value: secret } : secret, scheme.secretForm),
    now: at,
    ...(headers ? { headers } : {}),
    ...(method === undefined ? {} : { method }),
    ...(url === undefined ? {} : { url }),
  });
}
