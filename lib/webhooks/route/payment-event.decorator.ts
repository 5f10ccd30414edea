import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { SafeLogger } from '../../common/safe-logger.js';
import { nodeRequest } from '../raw-body/http-request.js';
import { WebhookRefusal } from '../raw-body/webhook-refusal.js';
import { type IncomingMessage } from 'node:http';
import { type VerifiedWebhook } from '../signature/read-event.js';
import { type WebhookReceiver } from '../delivery/webhook-receiver.js';

/**
 * The verified event, for a route with `@PaymentsWebhook` or `@UseGuards(PaymentsWebhookGuard)`.
 *
 * @publicApi
 */
export const PaymentEvent: () => ParameterDecorator = createParamDecorator(
  (_data: unknown, context: ExecutionContext) => receivable(context).event,
);

/** What the guard verified for this request. */
export function receivable(context: ExecutionContext): ReceivableWebhook {
  const webhook = verifiedWebhook(nodeRequest(context));
  if (webhook) return webhook;
  new SafeLogger('PaymentsWebhooks').error(
    `${context.getClass().name}.${context.getHandler().name} takes a webhook that nobody verified; answered 500. ` +
      'Add @PaymentsWebhook(path) or @UseGuards(PaymentsWebhookGuard), and do not replace that guard in tests: ' +
      'sign with postWebhook() of nestjs-payments/testing instead.',
  );
  throw new WebhookRefusal(500, 'This webhook was not verified.');
}

/** A verified delivery and who is to receive it. */
export interface ReceivableWebhook extends VerifiedWebhook {
  readonly receiver: WebhookReceiver;
}

/** Beside the requests, not on them: they belong to the application. */
const verified = new WeakMap<IncomingMessage, ReceivableWebhook>();

/** Hands a verified delivery from the guard to the route. */
export function keepVerified(request: IncomingMessage, webhook: ReceivableWebhook): void {
  verified.set(request, webhook);
}

/** What the guard verified; undefined where it did not run. */
export function verifiedWebhook(request: IncomingMessage): ReceivableWebhook | undefined {
  return verified.get(request);
}
