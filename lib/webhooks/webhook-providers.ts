import { type ApplicationEvents } from '../common/application-events.js';
import { type PaymentsStorage } from '../storage/payments-storage.js';
import { type ResolvedPaymentsOptions } from '../config/resolved-options.js';
import { type Recovery } from '../journal/create-recovery.js';
import { HandlerRunner, RunningWork } from './delivery/handler-runner.js';
import { DeliveryDispatcher } from './delivery/delivery-dispatcher.js';
import { WebhookReceiver } from './delivery/webhook-receiver.js';
import { type PaymentHandlers } from './handlers/payment-handlers.js';
import { PaymentsInbox } from './payments-inbox.js';
import { type WebhookAccounts } from './delivery/webhook-accounts.js';

const DEFAULT_RETENTION_MS = 30 * 86_400_000;

/** Registers the receiver of an account's webhooks, and creates its `PaymentsInbox`. */
export function createPaymentsInbox(
  options: ResolvedPaymentsOptions,
  storage: PaymentsStorage,
  accounts: WebhookAccounts,
  handlers: PaymentHandlers,
  { outcomes }: Pick<Recovery, 'outcomes'>,
  events: ApplicationEvents,
): PaymentsInbox {
  const { account, environment, webhooks } = options;
  const scope = { account, environment };
  const running = new RunningWork();
  let receiver: WebhookReceiver | undefined;
  if (webhooks) {
    const runner = new HandlerRunner(account, webhooks, running);
    const dispatcher = new DeliveryDispatcher(scope, webhooks, storage, handlers, outcomes, events, runner);
    receiver = new WebhookReceiver(scope, webhooks, dispatcher, running, storage.name);
  }
  accounts.add(account, receiver);
  return new PaymentsInbox(scope, storage, webhooks?.retentionMs ?? DEFAULT_RETENTION_MS, receiver);
}
