import { centsOf } from './amounts.js';
import { type BankRegistry } from './banks.js';
import { type OutcomePlan } from './outcome-plan.js';
import { type GatewayContext } from './gateway-context.js';
import { type Merchant } from './merchant.js';
import { isNetwork, isAccountNumber, isPhone } from './recipients.js';
import { type Outcome } from './gateway-answer.js';
import { payoutRecord, type Destination, type Payout } from './payout.js';
import { refused } from './refusal.js';
import { type BankPayoutRequest, type MobileMoneyPayoutRequest } from './requests.js';
import { canMove, type FinalState, isFinal } from './status-machine.js';

/** Accepts payouts and settles them. */
export class PayoutService {
  constructor(
    private readonly context: GatewayContext,
    private readonly banks: BankRegistry,
  ) {}

  toBank(merchant: Merchant, request: BankPayoutRequest, plan: OutcomePlan): Outcome {
    const { directory } = merchant;
    if (merchant.payouts.has(request.reference)) return refused('DUPLICATE_REFERENCE');
    const bank = this.banks.findOrRefuse(request.bank_code, 'INVALID_BANK');
    if ('status' in bank) return bank;
    const { account_number: account } = request;
    if (!isAccountNumber(account) || directory.holderOf(account) === undefined)
      return refused('INVALID_ACCOUNT');
    if (!directory.accepts(account, request.account_name)) return refused('ACCOUNT_NAME_MISMATCH');
    return this.accept(merchant, { kind: 'bank', request, bank }, plan);
  }

  toMobileMoney(merchant: Merchant, request: MobileMoneyPayoutRequest, plan: OutcomePlan): Outcome {
    if (merchant.payouts.has(request.reference)) return refused('DUPLICATE_REFERENCE');
    if (!isNetwork(request.network)) return refused('INVALID_NETWORK');
    if (!isPhone(request.recipient_phone)) return refused('INVALID_PHONE');
    return this.accept(merchant, { kind: 'mobile-money', request }, plan);
  }

  /** Settles a payout and moves its locked money. Does nothing to a settled payout. */
  settle(merchant: Merchant, payout: Payout, outcome: FinalState<'disbursement'>): void {
    const { reference } = payout.destination.request;
    const known = merchant.payouts.get(reference) === payout;
    if (!known || !canMove(payout.status, outcome)) return;
    const total = payout.amountCents + payout.feeCents;
    payout.status = outcome;
    payout.settledAt = this.context.clock.now();
    if (outcome === 'paid') merchant.wallet.spend(total);
    else merchant.wallet.release(total);
    this.announce(merchant, payout);
  }

  private accept(merchant: Merchant, destination: Destination, plan: OutcomePlan): Outcome {
    const { settings, clock } = this.context;
    const payout: Payout = {
      merchant: merchant.name,
      destination,
      amountCents: centsOf(destination.request.amount),
      feeCents: settings.fees.payoutCents,
      createdAt: clock.now(),
      status: 'processing', // the status in the specification's answer
      settledAt: undefined,
    };
    if (!merchant.wallet.lock(payout.amountCents + payout.feeCents)) return refused('INSUFFICIENT_BALANCE');
    merchant.payouts.set(destination.request.reference, payout);
    this.announce(merchant, payout);
    for (const { afterMs, to } of plan.transitions) {
      clock.schedule(afterMs, () => {
        if (isFinal('disbursement', to)) this.settle(merchant, payout, to);
      });
    }
    return { data: payoutRecord(payout) };
  }

  private announce(merchant: Merchant, payout: Payout): void {
    this.context.events.emit('payout', payout);
    this.context.events.emit('balance', merchant);
  }
}
