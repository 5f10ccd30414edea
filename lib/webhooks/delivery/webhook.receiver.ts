import { Logger } from '@nestjs/common';
import { type PaymentWebhookEvent } from '../../common/events.js';
import {
  type ClaimResult,
  type InboxConflict,
  type InboxDelivery,
  type InboxKind,
  type InboxScope,
  type InboxStore,
} from '../../common/storage-port.js';
import { type RawWebhook } from '../../common/webhook-scheme.js';
import { type ResolvedWebhookOptions } from '../../config/resolved-options.js';
import { failureLabel } from '../../errors/failure-label.js';
import { type WebhookOutcomes } from '../../recovery/webhook.outcomes.js';
import { type PaymentHandlers } from '../handlers/payment.handlers.js';
import { claimOrWait } from './claim-or-wait.js';
import { ClaimedWork } from './claimed.work.js';
import { type HandlerStep } from './handler-steps.js';
import { fingerprintOf, judgeEvent, replacedBy } from './judge-event.js';
import { SignatureCheck } from './signature.check.js';
import { type VerifiedWebhook } from './verified-webhook.js';
import { comeAgain, describeEvent, DONE, STORAGE_RETRY_MS, type WebhookAnswer } from './webhook-answer.js';

const OTHER_MONEY = 'the payment was made with another amount or currency';

/** Receives the webhooks of one account: verified, remembered, handed to the handlers, answered. */
export class WebhookReceiver {
  readonly bodyLimit: number;
  private readonly logger = new Logger('PaymentsWebhooks');
  private readonly signatures: SignatureCheck;
  /** Before the handlers, so that they find the payment settled. */
  private readonly settling: HandlerStep = {
    name: 'PaymentsJournal',
    run: (event) => this.outcomes.settle(event),
  };
  private readonly work: ClaimedWork;

  constructor(
    private readonly scope: InboxScope,
    private readonly options: ResolvedWebhookOptions,
    private readonly inbox: InboxStore,
    private readonly handlers: PaymentHandlers,
    private readonly outcomes: WebhookOutcomes,
  ) {
    this.bodyLimit = options.bodyLimit;
    this.signatures = new SignatureCheck(scope.account, options);
    this.work = new ClaimedWork(scope.account, options);
  }

  /** Whether the signature is right. Never rejects. */
  verify(webhook: RawWebhook): Promise<boolean> {
    return this.signatures.accepts(webhook);
  }

  /**
   * Handles a verified delivery. Never rejects.
   *
   * @param last What runs after the handlers, once per payment outcome.
   */
  receive(webhook: VerifiedWebhook, last: HandlerStep): Promise<WebhookAnswer> {
    return this.answered(() => this.dispatch(webhook, last));
  }

  /** Handles a delivery that was set aside, in the place of what stands for its reference. Never rejects. */
  release({ payload, firstSeenAt }: InboxConflict): Promise<WebhookAnswer> {
    const event = JSON.parse(payload) as PaymentWebhookEvent;
    const webhook = { event, bodyHash: '', deliveredAt: new Date(firstSeenAt) };
    const delivery = { ...this.delivery('outcome', event.data.reference, event), replaces: 'any' } as const;
    return this.answered(async () =>
      this.handle(await this.claim(delivery), [this.settling, ...this.stepsFor(event.event)], webhook),
    );
  }

  private async dispatch(webhook: VerifiedWebhook, last: HandlerStep): Promise<WebhookAnswer> {
    const { event, bodyHash } = webhook;
    const judgement = judgeEvent(event);
    if (judgement.kind === 'unrecognized') return this.notify('unrecognized', bodyHash, webhook);
    if (judgement.kind === 'mismatch') return this.setAside('mismatch', webhook, judgement.problem);
    const fit = await this.outcomes.fit(event);
    if (fit === 'mismatch') return this.setAside('mismatch', webhook, OTHER_MONEY);
    const claim = await this.claim(this.delivery('outcome', event.data.reference, event));
    if (claim.result === 'conflict') {
      const problem = `${claim.standingEvent}, or another amount, stands for the reference already`;
      return this.setAside('conflict', webhook, problem);
    }
    const first = fit === 'contested' && claim.result === 'claimed' ? this.conflictSteps(event) : [];
    return this.handle(claim, [...first, this.settling, ...this.stepsFor(event.event), last], webhook);
  }

  /** The webhook wins over what the journal said, and somebody must know that the two contradict each other. */
  private conflictSteps(event: PaymentWebhookEvent): readonly HandlerStep[] {
    const steps = this.stepsFor('payment.conflict');
    if (steps.length === 0) {
      this.logger.error(`${describeEvent(event)} contradicts the journal, and wins: its handlers run.`);
    }
    return [{ name: 'PaymentsInbox', run: () => this.store('conflict', event) }, ...steps];
  }

  /** Stored before any handler runs, so that it can be looked at even where none ever gets through. */
  private async setAside(
    kind: 'conflict' | 'mismatch',
    webhook: VerifiedWebhook,
    problem: string,
  ): Promise<WebhookAnswer> {
    const { event } = webhook;
    await this.store(kind, event);
    if (this.stepsFor(`payment.${kind}`).length === 0) {
      this.logger.error(
        `Set aside ${describeEvent(event)} as a ${kind}: ${problem}. See PaymentsInbox.conflicts().`,
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
    webhook: VerifiedWebhook,
  ): Promise<WebhookAnswer> {
    const steps = this.stepsFor(kind === 'unrecognized' ? kind : `payment.${kind}`);
    if (kind === 'unrecognized' && steps.length === 0) {
      const heard = describeEvent(webhook.event);
      this.logger.warn(
        `Nobody handles ${heard}: listen with @OnPayment('unrecognized') to hear of such events.`,
      );
    }
    return this.handle(await this.claim(this.delivery(kind, reference, webhook.event)), steps, webhook);
  }

  private async handle(
    claim: ClaimResult,
    steps: readonly HandlerStep[],
    webhook: VerifiedWebhook,
  ): Promise<WebhookAnswer> {
    if (claim.result === 'busy') return comeAgain(claim.leaseLeftMs);
    return claim.result === 'claimed' ? this.work.run(claim.claim, steps, webhook) : DONE;
  }

  private async answered(work: () => Promise<WebhookAnswer>): Promise<WebhookAnswer> {
    try {
      return await work();
    } catch (error) {
      this.logger.error(`The storage cannot be reached; answered 503: ${failureLabel(error)}`);
      return comeAgain(STORAGE_RETRY_MS);
    }
  }

  private claim(delivery: InboxDelivery): Promise<ClaimResult> {
    return claimOrWait(this.inbox, delivery, this.options);
  }

  private stepsFor(event: string): readonly HandlerStep[] {
    return this.handlers.stepsFor(this.scope.account, event);
  }

  private delivery(kind: InboxKind, reference: string, event: PaymentWebhookEvent): InboxDelivery {
    return {
      key: { ...this.scope, kind, reference },
      event: event.event,
      fingerprint: fingerprintOf(event),
      replaces: replacedBy(event, this.options.supersede),
    };
  }
}
