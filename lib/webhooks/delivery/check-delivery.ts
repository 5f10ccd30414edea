import { type PaymentWebhookEvent } from '../../common/events.js';
import { type RawWebhook, type SignatureVerdict } from '../../common/webhook-scheme.js';
import { isReadableContent } from '../capture/content-rules.js';
import { readEvent } from './read-event.js';

/** How a delivery that is no event of the gateway is answered, and why. */
export interface RefusedDelivery {
  readonly status: 400 | 401 | 413 | 415 | 422;
  /** For the sender: it says nothing about the signature. */
  readonly message: string;
  /** For the log. */
  readonly reason: string;
}

export type CheckedDelivery = { readonly event: PaymentWebhookEvent } | RefusedDelivery;

/** Checks a delivery as a webhook route does, in the same order: size, content, signature, event. */
export async function checkDelivery(
  webhook: RawWebhook,
  bodyLimit: number,
  verdictOn: (webhook: RawWebhook) => SignatureVerdict | Promise<SignatureVerdict>,
): Promise<CheckedDelivery> {
  const unreadable = contentProblem(webhook, bodyLimit);
  if (unreadable) return unreadable;
  const verdict = await verdictOn(webhook);
  if (!verdict.ok) {
    return { status: 401, message: 'The webhook signature is not valid.', reason: verdict.reason };
  }
  const read = readEvent(webhook.body);
  if ('event' in read) return read;
  return { status: read.status, message: read.problem, reason: read.problem };
}

/** Why a body is not even verified; undefined where it is. */
export function contentProblem(
  { headers, body }: RawWebhook,
  bodyLimit: number,
): RefusedDelivery | undefined {
  const [type] = headers.get('content-type') ?? [];
  const [encoding] = headers.get('content-encoding') ?? [];
  if (!isReadableContent({ 'content-type': type, 'content-encoding': encoding })) {
    const message = 'Send uncompressed JSON in UTF-8.';
    return { status: 415, message, reason: 'the body is compressed, or no JSON in UTF-8' };
  }
  if (body.length <= bodyLimit) return undefined;
  return {
    status: 413,
    message: 'The body is too long.',
    reason: `the body is longer than ${bodyLimit} bytes`,
  };
}
