import { centsOf } from './amounts.js';
import { collectionRecord, sandboxPayment, type Collection } from './collection.js';
import { collectionFee } from './fees.js';
import { type GatewayContext } from './gateway-context.js';
import { type Merchant } from './merchant.js';
import { networkOf } from './networks.js';
import { refused, type Refusal } from './refusal.js';
import { type CollectionRequest } from './requests.js';
import { canMoveCollection, type CollectionState, type FinalCollectionState } from './status-machine.js';
import { webhookEvent } from './webhook-event.js';

/** Takes collections in and brings them to their end. */
export class CollectionDesk {
  constructor(private readonly context: GatewayContext) {}

  /** The gateway's record, or why the request is refused. */
  initiate(
    merchant: Merchant,
    method: Collection['method'],
    request: CollectionRequest,
  ): Record<string, unknown> | Refusal {
    if (merchant.collections.has(request.reference)) return refused('DUPLICATE_REFERENCE');
    const { settings, clock, ids } = this.context;
    const amountCents = centsOf(request.amount);
    const payment: Collection = {
      merchant: merchant.name,
      method,
      request,
      amountCents,
      feeCents: collectionFee(amountCents, settings.fees),
      providerReference: `SBX${ids.token(12)}`,
      channel: method === 'partnerpesa' ? 'PARTNERPESA' : networkOf(request.phone),
      createdAt: clock.now(),
      expiresAt: clock.now() + settings.expireAfterMs,
      status: 'pending',
      processingAt: undefined,
      settledAt: undefined,
    };
    merchant.collections.set(request.reference, payment);
    this.announce(payment);
    this.letTimePass(merchant, payment);
    return collectionRecord(payment);
  }

  /**
   * Brings a payment to its final state: the money moves, and one webhook leaves. Nothing happens to a payment that is
   * final already. Resolves when the webhook's first try has ended.
   */
  async settle(merchant: Merchant, payment: Collection, outcome: FinalCollectionState): Promise<void> {
    if (!canMoveCollection(payment.status, outcome)) return;
    const { clock, ids, hub, deliver } = this.context;
    if (outcome === 'success') this.move(payment, 'processing');
    payment.settledAt = clock.now();
    this.move(payment, outcome);
    if (outcome === 'success') {
      merchant.wallet.receive(payment.amountCents - payment.feeCents);
      hub.emit('balance', merchant.balance());
    }
    await deliver(webhookEvent(ids.uuid(), payment, outcome, clock.now()));
  }

  private move(payment: Collection, status: CollectionState): void {
    if (!canMoveCollection(payment.status, status)) return;
    payment.status = status;
    if (status === 'processing') payment.processingAt = this.context.clock.now();
    this.announce(payment);
  }

  private letTimePass(merchant: Merchant, payment: Collection): void {
    const { clock, settings } = this.context;
    const settleLater = (delayMs: number, outcome: FinalCollectionState): void => {
      clock.schedule(delayMs, () => void this.settle(merchant, payment, outcome));
    };
    settleLater(settings.expireAfterMs, 'expired');
    if (settings.decideAfterMs !== undefined) settleLater(settings.decideAfterMs, 'success');
  }

  private announce(payment: Collection): void {
    this.context.hub.emit('payment', sandboxPayment(payment));
  }
}
