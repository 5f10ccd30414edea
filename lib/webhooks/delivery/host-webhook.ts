import { hash } from 'node:crypto';
import { isAnyArrayBuffer, isUint8Array } from 'node:util/types';
import { type RawWebhook, type SignatureVerdict } from '../../common/webhook-scheme.js';
import { PaymentsConfigError } from '../../errors/payments-errors.js';
import { type PaymentWebhookEvent } from '../../common/events.js';
import { headerMap, isReadableContent, type WebhookHeaders } from './delivery-head.js';
import { readEvent } from '../signature/read-event.js';
import { type SignatureCheck } from '../signature/signature-check.js';
import { HttpException } from '@nestjs/common';
import { STATUS_CODES } from 'node:http';
import { publishDiagnostics } from '../../common/diagnostics.js';
import { WEBHOOK_REFUSED_CHANNEL } from '../../common/webhook-diagnostics.js';
import { SafeLogger } from '../../common/safe-logger.js';
import { ANSWER_MESSAGES, type WebhookAnswer } from './webhook-answer.js';
import { type WebhookReceiver } from './webhook-receiver.js';

/**
 * The exact bytes of a delivery's body; a text is read as its UTF-8 bytes.
 *
 * @publicApi
 */
export type WebhookBody = string | Uint8Array | ArrayBuffer;

/**
 * Method and URL of the request, for a scheme that signs them.
 *
 * @publicApi
 */
export interface WebhookRequestLine {
  /** Method of the request. @default 'POST' */
  readonly method?: string;
  /** Path and query, exactly as the sender wrote them. @default unknown: a scheme that signs them refuses */
  readonly url?: string;
}

/**
 * A delivery of any host, in the form that schemes check.
 *
 * @throws PaymentsConfigError if the body was parsed, so that its bytes are lost, or there are no headers.
 */
export function hostWebhook(
  rawBody: unknown,
  headers: WebhookHeaders,
  { method = 'POST', url }: WebhookRequestLine,
): RawWebhook {
  return { headers: headerMap(headers), body: bytesOf(rawBody), method, url };
}

/** @throws PaymentsConfigError if it is neither bytes nor text. */
export function bytesOf(rawBody: unknown): Uint8Array {
  if (typeof rawBody === 'string') return Buffer.from(rawBody, 'utf8');
  // Not `instanceof`: the bytes may come from another realm.
  if (isUint8Array(rawBody)) return rawBody;
  if (isAnyArrayBuffer(rawBody)) return new Uint8Array(rawBody);
  throw new PaymentsConfigError(
    'The body of a webhook is neither bytes nor text: pass the raw body. A signature is over its exact bytes, which a parsed ' +
      'body has lost.',
  );
}

/** The answer to a delivery that is refused. */
interface RefusedDelivery {
  readonly status: 400 | 401 | 413 | 415 | 422;
  /** For the sender. Says nothing about the signature. */
  readonly message: string;
  /** For the log. */
  readonly reason: string;
}

type CheckedDelivery = { readonly event: PaymentWebhookEvent } | RefusedDelivery;

/** Checks a delivery as a webhook route does, in the same order: content, size, signature, event. */
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

/** Why a body is refused before its signature is checked; undefined if it is not. */
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

/**
 * The answer of a host to the gateway.
 *
 * @publicApi
 */
export interface WebhookHttpAnswer {
  /** HTTP status. It is 200 only after every handler has finished. */
  readonly status: number;
  /** Headers by lower-case name; `retry-after` in seconds with a 503. */
  readonly headers: Readonly<Record<string, string>>;
  /** Text of the body; empty with a 200. */
  readonly body: string;
}

/** Verifies and handles a delivery that came without a route of Nest. Never rejects. */
export async function receiveFromHost(
  receiver: Pick<WebhookReceiver, 'scope' | 'limits' | 'receive'> & {
    readonly signatures: Pick<SignatureCheck, 'verdictOn'>;
  },
  webhook: RawWebhook,
): Promise<WebhookHttpAnswer> {
  const { account } = receiver.scope;
  const checked = await checkDelivery(webhook, receiver.limits.bodyLimit, (given) =>
    receiver.signatures.verdictOn(given),
  );
  if ('status' in checked) return refusal(checked, account);
  const { event } = checked;
  const bodyHash = (): string => hash('sha256', webhook.body);
  return answerOf(await receiver.receive({ event, bodyHash, deliveredAt: new Date() }));
}

function refusal({ status, message, reason }: RefusedDelivery, account: string): WebhookHttpAnswer {
  publishDiagnostics(WEBHOOK_REFUSED_CHANNEL, () => ({ account, status }));
  if (status === 400 || status === 422) {
    const logger = new SafeLogger('PaymentsWebhooks');
    logger.error(`A webhook with a valid signature was refused with ${status}: ${reason}.`);
  }
  return written(status, message);
}

function answerOf(answer: WebhookAnswer): WebhookHttpAnswer {
  if (answer.status === 200) return { status: 200, headers: {}, body: '' };
  const { status, headers, body } = written(answer.status, ANSWER_MESSAGES[answer.status]);
  if (answer.status === 500) return { status, headers, body };
  return { status, headers: { ...headers, 'retry-after': String(answer.retryAfterSeconds) }, body };
}

function written(status: number, message: string): WebhookHttpAnswer {
  const body = JSON.stringify(HttpException.createBody(message, STATUS_CODES[status] ?? '', status));
  return { status, headers: { 'content-type': 'application/json; charset=utf-8' }, body };
}
