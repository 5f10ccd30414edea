import { type INestApplicationContext } from '@nestjs/common';
import { type QueuedDelivery } from '../../lib/webhooks/delivery/delivery-queue.js';
import { WebhookAccounts } from '../../lib/webhooks/delivery/webhook-accounts.js';
import { type WebhookReceiver } from '../../lib/webhooks/delivery/webhook-receiver.js';

/** What finds a provider of an application: the application, or Nest's `ModuleRef`. */
type Providers = Pick<INestApplicationContext, 'get'>;

export { type QueuedDelivery };

/**
 * From now on the webhooks of the default account are added to a queue, as `PaymentsQueueModule` does it with BullMQ.
 *
 * @param add Gets each delivery as another process reads it out of the queue.
 */
export function useQueue(providers: Providers, add: (delivery: QueuedDelivery) => Promise<void>): void {
  const queue = {
    add: (delivery: QueuedDelivery) => add(JSON.parse(JSON.stringify(delivery)) as QueuedDelivery),
  };
  receiverOf(providers, 'default').useQueue(queue);
}

/** Has an application work on a delivery that comes out of a queue, as a worker of `PaymentsQueueModule` does it. */
export function workOn(providers: Providers, delivery: QueuedDelivery): ReturnType<WebhookReceiver['work']> {
  return receiverOf(providers, delivery.account).work(delivery);
}

function receiverOf(providers: Providers, account: string): WebhookReceiver {
  return providers.get(WebhookAccounts, { strict: false }).get(account, 'the queue of a test');
}
