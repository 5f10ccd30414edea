import { type PaymentWebhookEvent } from '../common/events.js';
import { isRecord } from '../common/json-object.js';
import { callOptionErrors, optionErrors, refuseUnknown } from '../errors/option-errors.js';
import { WEBHOOK_OPTIONS } from '../config/option-defaults.js';
import { resolveWebhookSection } from '../config/resolve-webhooks.js';
import { type WebhookOptions } from '../config/webhook-options.js';
import { PaymentsConfigError, WebhookRefusedError } from '../errors/payments-errors.js';
import { type WebhookHeaders } from './delivery/delivery-head.js';
import {
  checkDelivery,
  hostWebhook,
  type WebhookBody,
  type WebhookRequestLine,
} from './delivery/host-webhook.js';
import { signatureVerifier } from './signature/signature-check.js';

/**
 * How `verifyWebhook` checks a delivery: `scheme`, `secrets` and `bodyLimit` as in the `webhooks` option of
 * the module.
 *
 * @publicApi
 */
export interface VerifyWebhookOptions
  extends Pick<WebhookOptions, 'scheme' | 'secrets' | 'bodyLimit'>, WebhookRequestLine {
  /** Time of the check: milliseconds since 1970, or a Date. @default now */
  readonly now?: number | Date;
}

/** All of the module's `webhooks` option may be passed. */
const OPTIONS = [...Object.keys(WEBHOOK_OPTIONS), 'method', 'url', 'now'];

/**
 * Checks a delivery as the webhook route does, without an application of Nest: in a Lambda, a queue's
 * consumer or another framework. It remembers nothing and runs no handler, in contrast to
 * `PaymentsInbox.receive()`.
 *
 * @param rawBody The exact bytes of the body, or its text.
 * @param headers The headers of the delivery, in the form of the host.
 * @returns The event, with `data.amount` as a two-decimal string.
 *
 * @throws WebhookRefusedError with the `status` to answer, if the delivery is not the gateway's or cannot be
 * read.
 * @throws PaymentsConfigError if an option is wrong, or the body was parsed.
 *
 * @example
 * ```ts
 * async function receive(request: Request): Promise<Response> {
 *   try {
 *     const event = await verifyWebhook(await request.arrayBuffer(), request.headers, { scheme, secrets: [secret] });
 *     console.log(event.event, event.data.reference);
 *     return new Response();
 *   } catch (error) {
 *     if (error instanceof WebhookRefusedError) return new Response(null, { status: error.status });
 *     throw error;
 *   }
 * }
 * ```
 *
 * @publicApi
 */
export async function verifyWebhook(
  rawBody: WebhookBody,
  headers: WebhookHeaders,
  options: VerifyWebhookOptions,
): Promise<PaymentWebhookEvent> {
  if (!isRecord(options)) {
    throw new PaymentsConfigError(
      'verifyWebhook() got no options: pass { scheme, secrets } as the third argument, as in the webhooks option of the module.',
    );
  }
  refuseUnknown(options, OPTIONS, callOptionErrors('verifyWebhook()'));
  const { scheme, secrets, bodyLimit, method, url, now = Date.now() } = options;
  const resolved = resolveWebhookSection({ scheme, secrets, bodyLimit }, optionErrors('default'));
  const line = { ...(method !== undefined && { method }), ...(url !== undefined && { url }) };
  const webhook = hostWebhook(rawBody, headers, line);
  const verifier = signatureVerifier(resolved);
  const checked = await checkDelivery(webhook, resolved.bodyLimit, (given) => verifier(given, Number(now)));
  if ('event' in checked) return checked.event;
  throw new WebhookRefusedError(checked.status, checked.message, checked.reason);
}
