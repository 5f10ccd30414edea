import { type PaymentWebhookEvent } from '../../common/events.js';
import { type InboxConflict } from '../../storage/conflict-store.js';
import { type InFlight } from '../../common/in-flight.js';
import { type InboxScope } from '../../common/vocabulary.js';
import { hasSubscribers } from '../../common/diagnostics.js';
import {
  WEBHOOK_END_CHANNEL,
  WEBHOOK_HANDLER_END_CHANNEL,
  WEBHOOK_HANDLER_START_CHANNEL,
  WEBHOOK_START_CHANNEL,
  type WebhookStartEvent,
} from '../../common/webhook-diagnostics.js';
import { SafeLogger } from '../../common/safe-logger.js';
import { type ResolvedWebhookOptions } from '../../config/resolved-options.js';
import { type DeliveryLimits } from './delivery-head.js';
import { failureLabel, PaymentsConfigError, PaymentsStorageError } from '../../errors/payments-errors.js';
import { type DeliveryQueue, openDelivery, type QueuedDelivery, queuedDelivery } from './delivery-queue.js';
import { type DeliveryDispatcher } from './delivery-dispatcher.js';
import { type HandlerStep } from '../handlers/payment-handlers.js';
import { type RunningWork } from './handler-runner.js';
import { SignatureCheck } from '../signature/signature-check.js';
import { KeyServiceError } from '../../storage/sealed/encryption.js';
import { type ValueSealer } from '../../storage/sealed/value-sealer.js';
import { type VerifiedWebhook } from '../signature/read-event.js';
import {
  AFTER_START,
  retryLater,
  describeEvent,
  DONE,
  STORAGE_RETRY_MS,
  type WebhookAnswer,
} from './webhook-answer.js';
import { type TracedWebhook, WebhookTrace } from './webhook-trace.js';

/** `Retry-After` while the application starts or stops: another replica may be running. */
const RESTART_MS = 5_000;

/** When a worker tries again to open what is sealed with a key that it does not have. */
const KEY_RETRY_MS = 60_000;

/** Handles the verified webhooks of one account, or stores them in a queue. */
export class WebhookReceiver {
  readonly limits: DeliveryLimits;
  readonly signatures: SignatureCheck;
  readonly rawBody: ResolvedWebhookOptions['rawBody'];
  private readonly logger = new SafeLogger('PaymentsWebhooks');
  /** A closure, because a queue holds the password of its server. */
  private enqueue: DeliveryQueue['add'] | undefined;
  private hasWorker = false;
  private phase: 'starting' | 'open' | 'closing' = 'starting';

  constructor(
    readonly scope: InboxScope,
    private readonly options: ResolvedWebhookOptions,
    private readonly dispatcher: DeliveryDispatcher,
    private readonly running: RunningWork,
    private readonly places: InFlight,
    /** For messages: `memory`. */
    readonly storageName: string,
    private readonly sealer?: ValueSealer,
  ) {
    this.limits = { ...options, requiredHeaders: options.scheme.requiredHeaders ?? [] };
    this.rawBody = options.rawBody;
    this.signatures = new SignatureCheck(scope.account, options, this.logger);
  }

  /**
   * Stores deliveries in a queue from now on. A worker brings them back to `work`.
   *
   * @param hasWorker Whether a worker of this process does.
   * @throws PaymentsConfigError if there is a queue already.
   */
  useQueue(queue: DeliveryQueue, hasWorker = false): void {
    if (this.enqueue) {
      throw new PaymentsConfigError(
        `Two queues take the webhooks of the account '${this.scope.account}': name in each one the accounts that it is for.`,
      );
    }
    this.enqueue = (delivery) => queue.add(delivery);
    this.hasWorker = hasWorker;
  }

  /** Takes deliveries from now on, because all handlers and queues are known. */
  open(): void {
    if (this.phase === 'starting') this.phase = 'open';
  }

  /** Whether handlers or a queue may still be unknown. */
  get isStarting(): boolean {
    return this.phase === 'starting';
  }

  /** Whether this process must have a route. Without an HTTP server, one with a worker of the queue has none. */
  expectsRoute(hasHttpServer: boolean): boolean {
    return this.options.expectRoute && (hasHttpServer || !this.hasWorker);
  }

  /** Whether deliveries go to a queue. */
  get isQueued(): boolean {
    return this.enqueue !== undefined;
  }

  /**
   * Handles a verified delivery, or stores it in the queue. Never rejects.
   *
   * @param last Runs after the handlers, once per payment outcome. A queue ignores it.
   */
  receive(webhook: VerifiedWebhook, last?: HandlerStep): Promise<WebhookAnswer> {
    const { enqueue } = this;
    if (!enqueue) {
      return this.answered(webhook, 'request', 'storage', (traced) =>
        this.dispatcher.dispatch(traced, last ? [last] : []),
      );
    }
    return this.answered(webhook, 'request', 'queue', async ({ trace }) => {
      await enqueue(await queuedDelivery(this.scope, webhook, this.sealer));
      trace?.note('queued');
      return DONE;
    });
  }

  /** Handles a delivery from a queue. Never rejects. A 503 says when to try again. */
  async work(delivery: QueuedDelivery): Promise<WebhookAnswer> {
    let webhook: VerifiedWebhook;
    try {
      webhook = await openDelivery(delivery, this.sealer);
    } catch (error) {
      const why = error instanceof PaymentsStorageError ? error.message : failureLabel(error);
      this.logger.error(`${describeEvent(delivery.event)} stays in the queue, because ${why}.`);
      return retryLater(error instanceof KeyServiceError ? STORAGE_RETRY_MS : KEY_RETRY_MS);
    }
    return this.answered(webhook, 'queue', 'storage', (traced) => this.dispatcher.dispatch(traced, []));
  }

  /** Whether this version, or a handler, knows an event that was set aside. */
  recognizes({ payload }: InboxConflict): boolean {
    return this.dispatcher.recognizes(JSON.parse(payload) as PaymentWebhookEvent);
  }

  /** Whether only the workers of a queue have handlers for an event that was set aside. */
  leavesToWorkers({ payload }: InboxConflict): boolean {
    return this.isQueued && !this.dispatcher.handles(JSON.parse(payload) as PaymentWebhookEvent);
  }

  /**
   * Handles an event that was set aside. A contradiction replaces the outcome of its reference; any other
   * event is handled as if it came now. Never rejects.
   */
  release({ kind, payload, fingerprint, firstSeenAt }: InboxConflict): Promise<WebhookAnswer> {
    const event = JSON.parse(payload) as PaymentWebhookEvent;
    const webhook = { event, bodyHash: () => fingerprint, deliveredAt: new Date(firstSeenAt) };
    const contradicts = kind === 'conflict' || kind === 'mismatch';
    return this.answered(webhook, 'release', 'storage', (traced) =>
      contradicts ? this.dispatcher.releaseInstead(traced) : this.dispatcher.dispatch(traced, [], 'handle'),
    );
  }

  /** Resolves when nothing runs, or when a handler may not run any longer. Never rejects. */
  async idle(): Promise<void> {
    await this.running.idle(this.options.handlerTimeoutMs);
  }

  /** Refuses new deliveries, and waits for running ones as long as a handler may take. Never rejects. */
  async close(): Promise<void> {
    this.phase = 'closing';
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
    const isTraced =
      hasSubscribers(WEBHOOK_START_CHANNEL, WEBHOOK_END_CHANNEL) ||
      hasSubscribers(WEBHOOK_HANDLER_START_CHANNEL, WEBHOOK_HANDLER_END_CHANNEL);
    const trace = isTraced ? new WebhookTrace(this.scope.account, event, source) : undefined;
    // A queue starts its workers after the handlers are known.
    const isTooEarly = this.phase === 'starting' && source !== 'queue';
    const attempt = (): Promise<WebhookAnswer> =>
      isTooEarly
        ? this.tooEarly(event)
        : this.attempted({ event, bodyHash, deliveredAt, trace }, source, needs, work);
    return trace ? trace.around(attempt) : attempt();
  }

  private tooEarly(event: PaymentWebhookEvent): Promise<WebhookAnswer> {
    this.logger.warn(
      `${describeEvent(event)} came before the application had started, so its handlers were not known yet; answered 503. ` +
        `Begin to take webhooks ${AFTER_START}`,
    );
    return Promise.resolve(retryLater(RESTART_MS));
  }

  private async attempted(
    webhook: TracedWebhook,
    source: WebhookStartEvent['source'],
    needs: 'storage' | 'queue',
    work: (webhook: TracedWebhook) => Promise<WebhookAnswer>,
  ): Promise<WebhookAnswer> {
    if (this.phase === 'closing') return retryLater(RESTART_MS);
    const handle = (): Promise<WebhookAnswer> =>
      this.running.track(work(webhook), () => describeEvent(webhook.event));
    try {
      // Beyond the limit, the gateway delivers again. Workers and releases limit themselves.
      const begun = source === 'request' ? this.places.begin(handle) : this.places.hold(handle());
      return begun ? await begun : retryLater(STORAGE_RETRY_MS);
    } catch (error) {
      this.logger.error(`The ${needs} cannot be reached; answered 503: ${failureLabel(error)}`);
      return retryLater(STORAGE_RETRY_MS);
    }
  }
}
