import { type ApplicationEvents } from '../../common/application-events.js';
import { type PaymentEventName, type PaymentWebhookEvent } from '../../common/events.js';
import { copyOf } from '../../common/json-object.js';
import { type InboxScope, type InboxKind, type SetAsideKind } from '../../common/vocabulary.js';
import { type ClaimResult, type InboxDelivery, type InboxStore } from '../../storage/inbox-store.js';
import { type PaymentsStorage } from '../../storage/payments-storage.js';
import { SafeLogger } from '../../common/safe-logger.js';
import { trimmedReference } from '../../gateway/validation/field-rules.js';
import { type ResolvedWebhookOptions } from '../../config/resolved-options.js';
import {
  type WebhookOutcomes,
  type WebhookSettling,
  type WebhookPayment,
} from '../../journal/outcomes/webhook-outcomes.js';
import { type HandlerStep } from '../handlers/payment-handlers.js';
import {
  chargeFingerprintOf,
  classifyEvent,
  contradiction,
  decideDelivery,
  fingerprintOf,
  replacedBy,
} from './delivery-decision.js';
import { type HandlerPlan, type HandlerRunner, wasAnnounced } from './handler-runner.js';
import { ConflictRecorder } from './conflict-recorder.js';
import { retryLater, describeEvent, DONE, type WebhookAnswer } from './webhook-answer.js';
import { type TracedWebhook } from './webhook-trace.js';

/**
 * The mark of this step tells a later run that there was a contradiction, which is stored before the claim.
 */
const STORED: HandlerStep = { name: 'PaymentsInbox', run: () => Promise.resolve() };

/** A released event is the outcome of its reference. */
const IF_RELEASED: Pick<InboxDelivery, 'replaces' | 'mustExist'> = { replaces: [], mustExist: true };

/** The `@OnPayment` methods that listen to an account. */
export interface HandlersOfAccount {
  /** The steps for an event, each method once. */
  stepsFor(account: string, event: string): readonly HandlerStep[];
}

type DispatchOptions = Pick<
  ResolvedWebhookOptions,
  'leaseMs' | 'inFlightWaitMs' | 'supersede' | 'unknownReferences'
>;

/**
 * Decides about deliveries, claims them and runs their handlers. Every method rejects if the storage does.
 */
export class DeliveryDispatcher {
  private readonly logger = new SafeLogger('PaymentsWebhooks');
  private readonly inbox: InboxStore;
  private readonly conflicts: ConflictRecorder;

  constructor(
    private readonly scope: InboxScope,
    private readonly options: DispatchOptions,
    storage: Pick<PaymentsStorage, 'inbox' | 'conflicts'>,
    private readonly handlers: HandlersOfAccount,
    private readonly outcomes: WebhookOutcomes,
    private readonly events: Pick<ApplicationEvents, 'emit'>,
    private readonly runner: HandlerRunner,
  ) {
    this.inbox = storage.inbox;
    this.conflicts = new ConflictRecorder(scope, storage.conflicts);
  }

  /**
   * @param last Runs after the handlers, once per payment outcome.
   * @param unknownReferences What to do if the journal does not know the payment.
   */
  async dispatch(
    webhook: TracedWebhook,
    last: readonly HandlerStep[],
    unknownReferences = this.options.unknownReferences,
  ): Promise<WebhookAnswer> {
    const { event, bodyHash, trace } = webhook;
    const existing = await this.outcomes.compare(event);
    const { supersede } = this.options;
    const handlesUnrecognized = (): boolean => this.stepsFor('unrecognized').length > 0;
    const decision = decideDelivery(event, existing, { supersede, unknownReferences, handlesUnrecognized });
    switch (decision.act) {
      case 'acknowledge':
        trace?.note('ignored', 'unknown-reference');
        return DONE;
      case 'set-aside': {
        const { kind, problem, mayBeReleased } = decision;
        const released = mayBeReleased && (await this.handleReleased(webhook, IF_RELEASED, last));
        return released || this.setAside(kind, webhook, problem, existing);
      }
      case 'notify':
        await this.outcomes.acknowledge(event);
        return this.notify('unrecognized', bodyHash(), webhook, existing);
      case 'handle':
        return this.handleOutcome(webhook, last, existing, decision.mustExist);
    }
  }

  /** Whether an event that was set aside could be handled now. */
  recognizes(event: PaymentWebhookEvent): boolean {
    return classifyEvent(event).kind !== 'unrecognized' || this.stepsFor('unrecognized').length > 0;
  }

  /** Whether a handler of this process would run for an event that was set aside. */
  handles(event: PaymentWebhookEvent): boolean {
    const isUnrecognized = classifyEvent(event).kind === 'unrecognized';
    return this.stepsFor(isUnrecognized ? 'unrecognized' : event.event).length > 0;
  }

  /** Handles an event that was set aside. It replaces the outcome of its reference. */
  async releaseInstead(webhook: TracedWebhook): Promise<WebhookAnswer> {
    return (await this.handleReleased(webhook, { replaces: 'any' }, [])) ?? DONE;
  }

  /** @returns Undefined if the event is not the outcome of its reference and does not replace it. */
  private async handleReleased(
    webhook: TracedWebhook,
    how: Pick<InboxDelivery, 'replaces' | 'mustExist'>,
    last: readonly HandlerStep[],
    otherMoney = true,
  ): Promise<WebhookAnswer | undefined> {
    const { fit, known, said } = await this.outcomes.compare(webhook.event);
    // A release says that it is about the payment whose reference has no white space around it. It says nothing about
    // the amount, which was not compared before.
    if (fit === 'other-spelling') return this.handleReleased(withTrimmedReference(webhook), how, last, false);
    const { event } = webhook;
    const delivery = this.delivery('outcome', event.data.reference, event, said);
    const claim = await this.claim({ ...delivery, ...how }, webhook);
    if (claim.result === 'conflict' || claim.result === 'missing') return undefined;
    // Handlers of its reference run, so the answer is not known yet, and it must be stored.
    if (claim.result === 'busy' && how.mustExist) return undefined;
    return this.handle(claim, this.outcomePlan(event, { known, said, otherMoney }, last), webhook);
  }

  private async handleOutcome(
    webhook: TracedWebhook,
    last: readonly HandlerStep[],
    existing: WebhookPayment,
    mustExist: boolean,
  ): Promise<WebhookAnswer> {
    const { event } = webhook;
    const { fit, known, said } = existing;
    // Before the claim: inside its transaction this would need a second connection, which not every pool has.
    if (fit === 'contested') await this.conflicts.setAside('conflict', webhook);
    const delivery = this.delivery('outcome', event.data.reference, event, said);
    const claim = await this.claim({ mustExist, ...delivery }, webhook);
    if (claim.result === 'missing' && fit === 'settled') return this.repeated(event, existing);
    if (claim.result === 'conflict' || claim.result === 'missing') {
      return this.setAside('conflict', webhook, contradiction(event, claim, existing), existing);
    }
    const plan = this.outcomePlan(event, { known, said, otherMoney: false, seen: fit }, last);
    // After an earlier run announced the contradiction and settled the payment, the outcome fits.
    const contested = claim.result === 'claimed' && (fit === 'contested' || wasAnnounced(claim.claim));
    return this.handle(claim, contested ? this.contestedPlan(event, plan) : plan, webhook);
  }

  /** Handles the repetition of an outcome that only the inbox has forgotten. Its handlers ran before. */
  private async repeated(
    event: PaymentWebhookEvent,
    { providerReference, said }: WebhookPayment,
  ): Promise<WebhookAnswer> {
    const isFirst = providerReference === undefined && said?.providerReference !== undefined;
    if (isFirst) await this.outcomes.settle(event, { journal: undefined, otherMoney: false, said });
    return DONE;
  }

  private outcomePlan(
    event: PaymentWebhookEvent,
    {
      known,
      ...existing
    }: Pick<WebhookSettling, 'otherMoney' | 'seen' | 'said'> & Pick<WebhookPayment, 'known'>,
    last: readonly HandlerStep[],
  ): HandlerPlan {
    return {
      known,
      settle: ({ journal, attempt }) =>
        this.outcomes.settle(event, { journal, isFirstRun: attempt === 1, ...existing }),
      handlers: [...this.stepsFor(event.event), ...last],
      done: () => {
        this.outcomes.notifyWaiters(event);
        this.events.emit(event.event as PaymentEventName, event);
      },
    };
  }

  /** The webhook wins over the journal. The handlers of conflicts run first, because somebody must know. */
  private contestedPlan(event: PaymentWebhookEvent, plan: HandlerPlan): HandlerPlan {
    const steps = this.stepsFor('payment.conflict');
    if (steps.length === 0) {
      this.logger.error(
        `${describeEvent(event)} of the account '${this.scope.account}' contradicts the journal, and wins: its handlers run.`,
      );
    }
    return {
      ...plan,
      announce: [STORED, ...steps],
      done: () => {
        // Listeners may change it, and it is needed once more.
        this.events.emit('payment.conflict', copyOf(event));
        plan.done();
      },
    };
  }

  /** Stores the event before any handler runs, so that it is kept even if every handler fails. */
  private async setAside(
    kind: SetAsideKind,
    webhook: TracedWebhook,
    problem: string,
    existing: WebhookPayment,
  ): Promise<WebhookAnswer> {
    // Whatever the event says, the gateway has the payment.
    if (kind !== 'unknown-reference') await this.outcomes.acknowledge(webhook.event);
    await this.conflicts.setAside(kind, webhook);
    if (kind !== 'conflict' && kind !== 'mismatch') {
      this.conflicts.report(kind, webhook.event, problem);
      webhook.trace?.note('handled', kind);
      return DONE;
    }
    if (this.stepsFor(`payment.${kind}`).length === 0) {
      this.conflicts.report(kind, webhook.event, problem);
    }
    return this.notify(kind, chargeFingerprintOf(webhook.event), webhook, existing);
  }

  /** Runs the handlers of an event that is no payment outcome, once. */
  private async notify(
    kind: 'conflict' | 'mismatch' | 'unrecognized',
    reference: string,
    webhook: TracedWebhook,
    { known }: WebhookPayment,
  ): Promise<WebhookAnswer> {
    const { event } = webhook;
    const handlers = this.stepsFor(kind === 'unrecognized' ? kind : `payment.${kind}`);
    const done = (): void => {
      if (kind !== 'unrecognized') this.events.emit(`payment.${kind}`, event);
    };
    const claim = await this.claim(this.delivery(kind, reference, event), webhook);
    return this.handle(claim, { known, handlers, done }, webhook);
  }

  private handle(
    claim: ClaimResult,
    plan: HandlerPlan,
    webhook: TracedWebhook,
  ): WebhookAnswer | Promise<WebhookAnswer> {
    if (claim.result === 'busy') return retryLater(Math.min(claim.leaseLeftMs, this.options.leaseMs));
    return claim.result === 'claimed' ? this.runner.run(claim.claim, plan, webhook) : DONE;
  }

  private async claim(delivery: InboxDelivery, { trace }: TracedWebhook): Promise<ClaimResult> {
    const claim = await claimOrWait(this.inbox, delivery, this.options);
    trace?.claimed(delivery.key.kind, claim.result);
    return claim;
  }

  private stepsFor(event: string): readonly HandlerStep[] {
    return this.handlers.stepsFor(this.scope.account, event);
  }

  private delivery(
    kind: InboxKind,
    reference: string,
    event: PaymentWebhookEvent,
    said?: WebhookPayment['said'],
  ): InboxDelivery {
    const { account, environment } = this.scope;
    const { providerReference } = said ?? {};
    return {
      key: { account, environment, kind, reference },
      event: event.event,
      fingerprint: fingerprintOf(event),
      ...(providerReference !== undefined && { providerReference }),
      replaces: replacedBy(event, this.options.supersede),
    };
  }
}

/** Claims a delivery. If another process handles it, waits for that up to `inFlightWaitMs`. */
export async function claimOrWait(
  inbox: InboxStore,
  delivery: InboxDelivery,
  { leaseMs, inFlightWaitMs }: { readonly leaseMs: number; readonly inFlightWaitMs: number },
): Promise<ClaimResult> {
  const giveUpAt = performance.now() + inFlightWaitMs;
  for (;;) {
    const result = await inbox.claim(delivery, leaseMs);
    const leftMs = giveUpAt - performance.now();
    if (result.result !== 'busy' || leftMs <= 0) return result;
    await inbox.waitForRelease(delivery.key, leftMs);
  }
}

function withTrimmedReference(webhook: TracedWebhook): TracedWebhook {
  const { event } = webhook;
  const reference = trimmedReference(event.data.reference);
  return { ...webhook, event: { ...event, data: { ...event.data, reference } } };
}
