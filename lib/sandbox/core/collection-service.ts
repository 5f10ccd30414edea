import { centsOf, collectionFee } from './amounts.js';
import { collectionRecord, type Collection } from './collection.js';
import { type OutcomePlan, type ScheduledTransition } from './outcome-plan.js';
import { type GatewayContext } from './gateway-context.js';
import { type Merchant } from './merchant.js';
import { networkOf } from './recipients.js';
import { type Outcome } from './gateway-answer.js';
import { invalidFields, type Refusal, refused } from './refusal.js';
import { type MobileMoneyCollectionRequest } from '../openapi/requests.generated.js';
import { canMove, type CollectionState, type FinalState, isFinal } from './status-machine.js';
import { type DueEvent } from '../clock/sandbox-clock.js';
import { webhookPayload } from './webhook-event.js';

/** Accepts collections and settles them. */
export class CollectionService {
  constructor(private readonly context: GatewayContext) {}

  /** Accepts a collection, or refuses it. The data is the gateway's record at acceptance. */
  initiate(
    merchant: Merchant,
    method: Collection['method'],
    request: MobileMoneyCollectionRequest,
    plan: OutcomePlan,
  ): Outcome {
    const refusal = this.makeRoom(merchant, request.reference);
    if (refusal) return refusal;
    const { settings, clock, idsOf, events } = this.context;
    const amountCents = centsOf(request.amount);
    const payment: Collection = {
      merchant: merchant.name,
      method,
      request,
      amountCents,
      feeCents: collectionFee(amountCents, settings.fees),
      providerReference: `SBX${idsOf(merchant.name).token(12)}`,
      channel: method === 'partnerpesa' ? 'PARTNERPESA' : networkOf(request.phone),
      createdAt: clock.now(),
      expiresAt: clock.now() + settings.expireAfterMs,
      plan,
      status: 'pending',
      processingAt: undefined,
      settledAt: undefined,
      reason: undefined,
    };
    merchant.collections.set(request.reference, payment);
    events.emit('payment', payment);
    const data = collectionRecord(payment);
    return { data, ready: this.schedule(merchant, payment) };
  }

  /**
   * Refuses a used reference. If the gateway takes it, the newer payment takes the place of the older one, whose money
   * becomes an adjustment: the statement still explains the balance.
   */
  private makeRoom(merchant: Merchant, reference: string): Refusal | undefined {
    const older = merchant.collections.get(reference);
    if (!older) return undefined;
    const rule = this.context.profile.facts['repeated reference'];
    if (rule === 'errors.reference')
      return invalidFields({ reference: ['The reference has already been taken.'] });
    if (rule === 'DUPLICATE_REFERENCE') return refused(rule);
    if (older.status === 'success') {
      const at = older.settledAt ?? older.createdAt;
      merchant.adjustments.push({ at, cents: older.amountCents - older.feeCents, reference });
      this.context.events.emit('balance', merchant);
    }
    merchant.collections.delete(reference);
    return undefined;
  }

  /**
   * Settles a payment: moves its money and sends one webhook. Does nothing to a settled payment. Resolves
   * when the webhook's first try has ended.
   */
  settle(
    merchant: Merchant,
    payment: Collection,
    outcome: FinalState<'collection'>,
    reason?: string,
  ): Promise<void> {
    if (canMove(payment.status, outcome)) payment.reason = reason;
    return this.finish(merchant, payment, outcome, false);
  }

  private async finish(
    merchant: Merchant,
    payment: Collection,
    outcome: FinalState<'collection'>,
    mayBeLate: boolean,
  ): Promise<void> {
    if (!isKept(merchant, payment) || !canMove(payment.status, outcome)) return;
    const { clock, events } = this.context;
    if (outcome === 'success') this.move(payment, 'processing');
    payment.settledAt = clock.now();
    this.move(payment, outcome);
    if (outcome === 'success') {
      merchant.wallet.receive(payment.amountCents - payment.feeCents);
      events.emit('balance', merchant);
    }
    await this.sendWebhook(payment, outcome, mayBeLate);
  }

  private sendWebhook(
    payment: Collection,
    outcome: FinalState<'collection'>,
    mayBeLate: boolean,
  ): Promise<void> {
    const { clock, idsOf, profile, deliver } = this.context;
    const { merchant, request } = payment;
    const { reference } = request;
    const payload = webhookPayload(payment, outcome, clock.now());
    const subject = { merchant, reference, payload, plan: payment.plan.delivery, mayBeLate };
    return deliver({
      id: idsOf(merchant).uuid(),
      merchant,
      reference,
      event: `payment.${outcome}`,
      ...profile.event(subject),
    });
  }

  private move(payment: Collection, status: CollectionState): void {
    if (!canMove(payment.status, status)) return;
    payment.status = status;
    if (status === 'processing') payment.processingAt = this.context.clock.now();
    this.context.events.emit('payment', payment);
  }

  /** Schedules what its plan does to a payment, as from its acceptance. */
  resume(merchant: Merchant, payment: Collection): void {
    this.scheduleAll(merchant, payment, payment.plan.transitions);
  }

  private async schedule(merchant: Merchant, payment: Collection): Promise<void> {
    const { transitions, beforeAnswer } = payment.plan;
    const [first, ...later] = transitions;
    this.scheduleAll(merchant, payment, first && beforeAnswer ? later : transitions);
    if (first && beforeAnswer) await this.follow(merchant, payment, first.to, false);
  }

  private scheduleAll(
    merchant: Merchant,
    payment: Collection,
    transitions: readonly ScheduledTransition[],
  ): void {
    const { clock } = this.context;
    const { createdAt, expiresAt, plan } = payment;
    for (const { afterMs, to } of transitions) {
      clock.schedule(
        createdAt + afterMs - clock.now(),
        () => void this.follow(merchant, payment, to, true),
        () => this.describe(merchant, payment, to),
      );
    }
    if (plan.expires) {
      clock.schedule(
        expiresAt - clock.now(),
        () => void this.finish(merchant, payment, 'expired', true),
        () => this.describe(merchant, payment, 'expired'),
      );
    }
  }

  /** What a timer would do to a payment now. */
  private describe(
    merchant: Merchant,
    payment: Collection,
    to: ScheduledTransition['to'],
  ): DueEvent | undefined {
    const { reference } = payment.request;
    return isKept(merchant, payment) && canMove(payment.status, to)
      ? { what: 'payment', merchant: merchant.name, reference, to }
      : undefined;
  }

  private async follow(
    merchant: Merchant,
    payment: Collection,
    to: ScheduledTransition['to'],
    mayBeLate: boolean,
  ): Promise<void> {
    if (isFinal('collection', to)) await this.finish(merchant, payment, to, mayBeLate);
    else if (to === 'processing' && isKept(merchant, payment)) this.move(payment, to);
  }
}

/** False after a reset, and once a later payment has taken the reference. */
function isKept({ collections }: Merchant, payment: Collection): boolean {
  return collections.get(payment.request.reference) === payment;
}
