import { Logger } from '@nestjs/common';
import { type ApplicationEvents } from '../../common/application-events.js';
import { type PaymentEventName, type PaymentWebhookEvent } from '../../common/events.js';
import {
  type ClaimResult,
  type InboxDelivery,
  type InboxKind,
  type InboxScope,
  type InboxStore,
} from '../../common/storage-port.js';
import { type ResolvedWebhookOptions } from '../../config/resolved-options.js';
import { type WebhookOutcomes } from '../../recovery/webhook.outcomes.js';
import { type PaymentHandlers } from '../handlers/payment.handlers.js';
import { claimOrWait } from './claim-or-wait.js';
import { type ClaimedWork } from './claimed.work.js';
import { type HandlerStep } from './handler-steps.js';
import { fingerprintOf, judgeEvent, replacedBy } from './judge-event.js';
import { comeAgain, describeEvent, DONE, type WebhookAnswer } from './webhook-answer.js';
import { type TracedWebhook } from './webhook-trace.js';
import { type DeliveryWork, wasAnnounced } from './work-plan.js';

const OTHER_MONEY = 'the payment was made with another amount or currency';

/** The contradiction is stored before the claim; the mark of this step tells a later run that there was one. */
const STORED: HandlerStep = { name: 'PaymentsInbox', run: () => Promise.resolve() };

/** Claims deliveries, decides what they are and has their handlers run. Every method rejects where the storage does. */
export class DeliveryDispatcher {
  private readonly logger = new Logger('PaymentsWebhooks');

  constructor(
    private readonly scope: InboxScope,
    private readonly options: Pick<ResolvedWebhookOptions, 'leaseMs' | 'inFlightWaitMs' | 'supersede'>,
    private readonly inbox: InboxStore,
    private readonly handlers: PaymentHandlers,
    private readonly outcomes: WebhookOutcomes,
    private readonly events: Pick<ApplicationEvents, 'tell'>,
    private readonly work: ClaimedWork,
  ) {}

  /** @param last What runs after the handlers, once per payment outcome. */
  async dispatch(webhook: TracedWebhook, last: readonly HandlerStep[]): Promise<WebhookAnswer> {
    const { event, bodyHash } = webhook;
    const judgement = judgeEvent(event);
    if (judgement.kind === 'unrecognized') return this.notify('unrecognized', bodyHash(), webhook);
    if (judgement.kind === 'mismatch') return this.setAside('mismatch', webhook, judgement.problem);
    const fit = await this.outcomes.fit(event);
    if (fit === 'mismatch') return this.setAside('mismatch', webhook, OTHER_MONEY);
    // Before the claim: beside an open transaction it would need a second connection, and not every pool has one.
    if (fit === 'contested') await this.store('conflict', event);
    const claim = await this.claim(this.delivery('outcome', event.data.reference, event), webhook);
    if (claim.result === 'conflict') {
      const problem = `${claim.standingEvent}, or another amount, stands for the reference already`;
      return this.setAside('conflict', webhook, problem);
    }
    const work = this.outcomeWork(event, false, last);
    // Once the journal has taken the outcome over it fits: an earlier run has announced the contradiction.
    const contested = claim.result === 'claimed' && (fit === 'contested' || wasAnnounced(claim.claim));
    return this.handle(claim, contested ? this.contestedWork(event, work) : work, webhook);
  }

  /** Handles what was set aside, in the place of what stands for its reference. */
  async release(webhook: TracedWebhook): Promise<WebhookAnswer> {
    const { event } = webhook;
    const delivery = this.delivery('outcome', event.data.reference, event);
    const claim = await this.claim({ ...delivery, replaces: 'any' }, webhook);
    return this.handle(claim, this.outcomeWork(event, true, []), webhook);
  }

  private outcomeWork(
    event: PaymentWebhookEvent,
    otherMoney: boolean,
    last: readonly HandlerStep[],
  ): DeliveryWork {
    return {
      settle: (journal) => this.outcomes.settle(event, { journal, otherMoney }),
      handlers: [...this.stepsFor(event.event), ...last],
      done: () => {
        this.outcomes.tellWaiters(event);
        this.events.tell(event.event as PaymentEventName, event);
      },
    };
  }

  /** The webhook wins over what the journal said, and somebody must know that the two contradict each other. */
  private contestedWork(event: PaymentWebhookEvent, work: DeliveryWork): DeliveryWork {
    const steps = this.stepsFor('payment.conflict');
    if (steps.length === 0) {
      this.logger.error(
        `${describeEvent(event)} of the account '${this.scope.account}' contradicts the journal, and wins: its handlers run.`,
      );
    }
    return {
      ...work,
      announce: [STORED, ...steps],
      done: () => {
        this.events.tell('payment.conflict', event);
        work.done();
      },
    };
  }

  /** Stored before any handler runs, so that it can be looked at even where none ever gets through. */
  private async setAside(
    kind: 'conflict' | 'mismatch',
    webhook: TracedWebhook,
    problem: string,
  ): Promise<WebhookAnswer> {
    const { event } = webhook;
    await this.store(kind, event);
    if (this.stepsFor(`payment.${kind}`).length === 0) {
      this.logger.error(
        `Set aside ${describeEvent(event)} of the account '${this.scope.account}' as a ${kind}: ${problem}. See ` +
          'PaymentsInbox.conflicts().',
      );
    }
    return this.notify(kind, fingerprintOf(event), webhook);
  }

  private store(kind: 'conflict' | 'mismatch', event: PaymentWebhookEvent): Promise<void> {
    const { reference } = event.data;
    const payload = JSON.stringify(event);
    const fingerprint = fingerprintOf(event);
    return this.inbox.setAside({ ...this.scope, kind, event: event.event, reference, fingerprint, payload });
  }

  /** Runs the handlers of something that is no payment outcome, once. */
  private async notify(
    kind: Exclude<InboxKind, 'outcome'>,
    reference: string,
    webhook: TracedWebhook,
  ): Promise<WebhookAnswer> {
    const handlers = this.stepsFor(kind === 'unrecognized' ? kind : `payment.${kind}`);
    if (kind === 'unrecognized' && handlers.length === 0) {
      const heard = describeEvent(webhook.event);
      this.logger.warn(
        `Nobody handles ${heard}: listen with @OnPayment('unrecognized') to hear of such events.`,
      );
    }
    const done = (): void => {
      if (kind !== 'unrecognized') this.events.tell(`payment.${kind}`, webhook.event);
    };
    const claim = await this.claim(this.delivery(kind, reference, webhook.event), webhook);
    return this.handle(claim, { handlers, done }, webhook);
  }

  private handle(
    claim: ClaimResult,
    work: DeliveryWork,
    webhook: TracedWebhook,
  ): WebhookAnswer | Promise<WebhookAnswer> {
    if (claim.result === 'busy') return comeAgain(claim.leaseLeftMs);
    return claim.result === 'claimed' ? this.work.run(claim.claim, work, webhook) : DONE;
  }

  private async claim(delivery: InboxDelivery, { trace }: TracedWebhook): Promise<ClaimResult> {
    const claim = await claimOrWait(this.inbox, delivery, this.options);
    trace.claimed(delivery.key.kind, claim.result);
    return claim;
  }

  private stepsFor(event: string): readonly HandlerStep[] {
    return this.handlers.stepsFor(this.scope.account, event);
  }

  private delivery(kind: InboxKind, reference: string, event: PaymentWebhookEvent): InboxDelivery {
    const { account, environment } = this.scope;
    return {
      key: { account, environment, kind, reference },
      event: event.event,
      fingerprint: fingerprintOf(event),
      replaces: replacedBy(event, this.options.supersede),
    };
  }
}
