import { centsOf } from './amounts.js';
import { type OutcomePlan, type ScheduledTransition } from './outcome-plan.js';
import { type GatewayContext } from './gateway-context.js';
import { type Merchant } from './merchant.js';
import { type Outcome } from './gateway-answer.js';
import { type Payout, type PayoutRecipient, payoutRecord, type PayoutRequest } from './payout.js';
import { refused, type Refusal } from './refusal.js';
import { canMove, type FinalState, isFinal } from './status-machine.js';

/** Accepts payouts and settles them. */
export class PayoutService {
  constructor(private readonly context: GatewayContext) {}

  /**
   * Accepts a payout, or refuses it. The data is the gateway's record at acceptance.
   *
   * @param findRecipient Finds the recipient, or why the gateway refuses it.
   */
  initiate(
    merchant: Merchant,
    request: PayoutRequest,
    plan: OutcomePlan,
    findRecipient: () => PayoutRecipient | Refusal,
  ): Outcome {
    const { settings, clock, profile } = this.context;
    const ofCollection =
      profile.facts['reference of the other family'] === 'used' &&
      merchant.collections.has(request.reference);
    if (ofCollection || merchant.payouts.has(request.reference)) return refused('DUPLICATE_REFERENCE');
    const recipient = findRecipient();
    if ('status' in recipient) return recipient;
    const payout: Payout = {
      merchant: merchant.name,
      request,
      recipient,
      amountCents: centsOf(request.amount),
      feeCents: settings.fees.payoutCents,
      createdAt: clock.now(),
      plan,
      status: 'processing', // the status in the specification's answer
      settledAt: undefined,
      reason: undefined,
    };
    if (!merchant.wallet.lock(payout.amountCents + payout.feeCents)) return refused('INSUFFICIENT_BALANCE');
    merchant.payouts.set(request.reference, payout);
    this.announce(merchant, payout);
    this.resume(merchant, payout);
    return { data: payoutRecord(payout) };
  }

  /** Schedules what its plan does to a payout, as from its acceptance. */
  resume(merchant: Merchant, payout: Payout): void {
    const { clock } = this.context;
    for (const { afterMs, to } of payout.plan.transitions) {
      const { reference } = payout.request;
      clock.schedule(
        payout.createdAt + afterMs - clock.now(),
        () => {
          if (isFinal('disbursement', to)) this.settle(merchant, payout, to);
        },
        () =>
          canSettle(merchant, payout, to)
            ? { what: 'payout', merchant: merchant.name, reference, to }
            : undefined,
      );
    }
  }

  /** Settles a payout and moves its locked money. Does nothing to a settled payout. */
  settle(merchant: Merchant, payout: Payout, outcome: FinalState<'disbursement'>, reason?: string): void {
    if (!canSettle(merchant, payout, outcome)) return;
    const total = payout.amountCents + payout.feeCents;
    payout.status = outcome;
    payout.settledAt = this.context.clock.now();
    payout.reason = reason;
    if (outcome === 'paid') merchant.wallet.spend(total);
    else merchant.wallet.release(total);
    this.announce(merchant, payout);
  }

  private announce(merchant: Merchant, payout: Payout): void {
    this.context.events.emit('payout', payout);
    this.context.events.emit('balance', merchant);
  }
}

function canSettle(merchant: Merchant, payout: Payout, to: ScheduledTransition['to']): boolean {
  return merchant.payouts.get(payout.request.reference) === payout && canMove(payout.status, to);
}
