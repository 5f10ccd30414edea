import { HttpException } from '@nestjs/common';
import { STATUS_CODES } from 'node:http';
import { publishDiagnostics } from '../../common/diagnostics.js';
import { type RawWebhook } from '../../common/webhook-scheme.js';
import { WEBHOOK_REFUSED_CHANNEL } from '../../common/webhook-diagnostics.js';
import { SafeLogger } from '../../common/safe-logger.js';
import { checkDelivery, type RefusedDelivery } from './check-delivery.js';
import { sha256 } from './judge-event.js';
import { ANSWER_MESSAGES, type WebhookAnswer } from './webhook-answer.js';
import { type WebhookReceiver } from './webhook.receiver.js';

/**
 * What a host is to answer the gateway with.
 *
 * @publicApi
 */
export interface WebhookHttpAnswer {
  /** HTTP status: 200 only once every handler has finished. */
  readonly status: number;
  /** Headers by lower-case name; `retry-after` in seconds with a 503. */
  readonly headers: Readonly<Record<string, string>>;
  /** Text of the body; empty with a 200. */
  readonly body: string;
}

/** Receives a delivery that no route of Nest took: verified, remembered, handled, answered. Never rejects. */
export async function receiveFromHost(
  receiver: Pick<WebhookReceiver, 'scope' | 'limits' | 'verdictOn' | 'receive'>,
  webhook: RawWebhook,
): Promise<WebhookHttpAnswer> {
  const { account } = receiver.scope;
  const checked = await checkDelivery(webhook, receiver.limits.bodyLimit, (given) =>
    receiver.verdictOn(given),
  );
  if ('status' in checked) return refusal(checked, account);
  const { event } = checked;
  const bodyHash = (): string => sha256(webhook.body);
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
