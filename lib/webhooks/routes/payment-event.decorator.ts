import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { SafeLogger } from '../../common/safe-logger.js';
import { nodeRequest } from './http-request.js';
import { type ReceivableWebhook, verifiedWebhook } from './receivable-webhook.js';
import { WebhookRefusal } from './webhook-refusal.js';

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
