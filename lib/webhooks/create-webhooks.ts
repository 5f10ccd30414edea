import { type ApplicationEvents } from '../common/application-events.js';
import { type InFlight } from '../common/in-flight.js';
import { type PaymentsStorage } from '../storage/payments-storage.js';
import { ValueSealer } from '../storage/sealed/value-sealer.js';
import { type ResolvedPaymentsOptions } from '../config/resolved-options.js';
import { retentionMsOf } from '../config/resolve-webhooks.js';
import { type AccountJournal } from '../journal/create-journal.js';
import { HandlerRunner, RunningWork } from './delivery/handler-runner.js';
import { DeliveryDispatcher, type HandlersOfAccount } from './delivery/delivery-dispatcher.js';
import { WebhookReceiver } from './delivery/webhook-receiver.js';
import { PaymentsInbox } from './payments-inbox.js';

export { type HandlersOfAccount } from './delivery/delivery-dispatcher.js';

/** Creates what receives the webhooks of an account, if it receives any, and its `PaymentsInbox`. */
export function createWebhooks(
  options: Pick<ResolvedPaymentsOptions, 'account' | 'encryption' | 'environment' | 'webhooks'>,
  storage: Omit<PaymentsStorage, 'open' | 'close'>,
  handlers: HandlersOfAccount,
  { outcomes }: Pick<AccountJournal, 'outcomes'>,
  events: Pick<ApplicationEvents, 'emit'>,
  places: InFlight,
): { readonly inbox: PaymentsInbox; readonly receiver: WebhookReceiver | undefined } {
  const { account, environment, webhooks, encryption } = options;
  const scope = { account, environment };
  let receiver: WebhookReceiver | undefined;
  if (webhooks) {
    const sealer = encryption && new ValueSealer(encryption);
    const running = new RunningWork();
    const runner = new HandlerRunner(account, webhooks, running);
    const dispatcher = new DeliveryDispatcher(scope, webhooks, storage, handlers, outcomes, events, runner);
    receiver = new WebhookReceiver(scope, webhooks, dispatcher, running, places, storage.name, sealer);
  }
  return { inbox: new PaymentsInbox(scope, storage, retentionMsOf(webhooks), receiver), receiver };
}
