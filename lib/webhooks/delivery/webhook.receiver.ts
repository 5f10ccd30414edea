import { Logger } from '@nestjs/common';
import { type PaymentWebhookEvent } from '../../common/events.js';
import { type InboxConflict, type InboxScope } from '../../common/storage-port.js';
import { type WebhookStartEvent } from '../../common/webhook-diagnostics.js';
import { type RawWebhook } from '../../common/webhook-scheme.js';
import { type ResolvedWebhookOptions } from '../../config/resolved-options.js';
import { failureLabel } from '../../errors/failure-label.js';
import { PaymentsConfigError } from '../../errors/payments-config.error.js';
import { type DeliveryQueue, type QueuedDelivery, queuedDelivery } from './delivery-queue.js';
import { type DeliveryDispatcher } from './delivery.dispatcher.js';
import { type HandlerStep } from './handler-steps.js';
import { type RunningWork } from './running-work.js';
import { SignatureCheck } from './signature.check.js';
import { type VerifiedWebhook } from './verified-webhook.js';
import { comeAgain, describeEvent, DONE, STORAGE_RETRY_MS, type WebhookAnswer } from './webhook-answer.js';
import { type TracedWebhook, WebhookTrace } from './webhook-trace.js';

/** When the gateway is asked to come again while the application stops: another one may be there. */
const RESTART_MS = 5_000;

/** Receives the webhooks of one account: verified, remembered, handed to the handlers, answered. */
export class WebhookReceiver {
  readonly bodyLimit: number;
  private readonly logger = new Logger('PaymentsWebhooks');
  private readonly signatures: SignatureCheck;
  private queue: DeliveryQueue | undefined;
  private closing = false;

  constructor(
    readonly scope: InboxScope,
    private readonly options: ResolvedWebhookOptions,
    private readonly dispatcher: DeliveryDispatcher,
    private readonly running: RunningWork,
    /** For messages: `memory`. */
    readonly storageName: string,
  ) {
    this.bodyLimit = options.bodyLimit;
    this.signatures = new SignatureCheck(scope.account, options);
  }

  /**
   * From now on deliveries are stored in a queue instead of worked on: a worker brings them back to `work`.
   *
   * @throws PaymentsConfigError where there is a queue already.
   */
  handOverTo(queue: DeliveryQueue): void {
    if (this.queue) {
      throw new PaymentsConfigError(
        `Two queues take the webhooks of the account '${this.scope.account}': name in each one the accounts that it is for.`,
      );
    }
    this.queue = queue;
  }

  /** Whether deliveries go to a queue. */
  get isQueued(): boolean {
    return this.queue !== undefined;
  }

  /** Whether the signature is right. Never rejects. */
  verify(webhook: RawWebhook): Promise<boolean> {
    return this.signatures.accepts(webhook);
  }

  /**
   * Handles a verified delivery, or hands it over to the queue. Never rejects.
   *
   * @param last What runs after the handlers, once per payment outcome; not where there is a queue.
   */
  receive(webhook: VerifiedWebhook, last: HandlerStep): Promise<WebhookAnswer> {
    const { queue } = this;
    if (!queue) {
      return this.answered(webhook, 'request', 'storage', (traced) =>
        this.dispatcher.dispatch(traced, [last]),
      );
    }
    return this.answered(webhook, 'request', 'queue', async ({ trace }) => {
      await queue.add(queuedDelivery(this.scope, webhook));
      trace.queued();
      return DONE;
    });
  }

  /** Handles a delivery that was in a queue. Never rejects; 503 says how soon to come again. */
  work({ event, bodyHash, deliveredAt }: QueuedDelivery): Promise<WebhookAnswer> {
    const webhook = { event, bodyHash: () => bodyHash, deliveredAt: new Date(deliveredAt) };
    return this.answered(webhook, 'queue', 'storage', (traced) => this.dispatcher.dispatch(traced, []));
  }

  /** Handles a delivery that was set aside, in the place of what stands for its reference. Never rejects. */
  release({ payload, firstSeenAt }: InboxConflict): Promise<WebhookAnswer> {
    const event = JSON.parse(payload) as PaymentWebhookEvent;
    const webhook = { event, bodyHash: () => '', deliveredAt: new Date(firstSeenAt) };
    return this.answered(webhook, 'release', 'storage', (traced) => this.dispatcher.release(traced));
  }

  /** Refuses everything from now on, and waits for what runs: as long as a handler may take. Never rejects. */
  async close(): Promise<void> {
    this.closing = true;
    const { handlerTimeoutMs } = this.options;
    for (const left of await this.running.idle(handlerTimeoutMs)) {
      this.logger.warn(
        `${left} still runs ${handlerTimeoutMs} ms after the application began to stop; nobody waits any longer.`,
      );
    }
  }

  private answered(
    webhook: VerifiedWebhook,
    source: WebhookStartEvent['source'],
    needs: 'storage' | 'queue',
    work: (webhook: TracedWebhook) => Promise<WebhookAnswer>,
  ): Promise<WebhookAnswer> {
    const { event, bodyHash, deliveredAt } = webhook;
    const trace = new WebhookTrace(this.scope.account, event, source);
    return trace.around(() => this.attempted({ event, bodyHash, deliveredAt, trace }, needs, work));
  }

  private async attempted(
    webhook: TracedWebhook,
    needs: 'storage' | 'queue',
    work: (webhook: TracedWebhook) => Promise<WebhookAnswer>,
  ): Promise<WebhookAnswer> {
    if (this.closing) return comeAgain(RESTART_MS);
    try {
      return await this.running.track(work(webhook), () => describeEvent(webhook.event));
    } catch (error) {
      this.logger.error(`The ${needs} cannot be reached; answered 503: ${failureLabel(error)}`);
      return comeAgain(STORAGE_RETRY_MS);
    }
  }
}
