import { request as send } from 'node:http';
import { isPaymentsError, type PaymentOutcome, type PaymentsJournal } from 'nestjs-payments';
import { paymentEvent, signWebhook } from 'nestjs-payments/testing';
import { scheme, secret } from '../support/webhook-app.js';
import { viewOf } from './call-result.js';
import { type Effect, mayHaveRefused } from './gateway.js';
import { type MerchantProcess } from './merchant-process.js';
import { type HowItEnds, type Slot } from './plan.js';
import { type World } from './world.js';

const ENDS = {
  collection: ['success', 'failed', 'cancelled', 'expired'],
  disbursement: ['paid', 'failed', 'cancelled', 'paid'],
} as const;

/** Brings payments to their end at the gateway, and tells the merchant by webhook or by an operator's word. */
export class Outcomes {
  /** @param port On which the merchant receives webhooks. */
  constructor(
    private readonly world: World,
    private readonly port: number,
  ) {}

  /** The customer or the provider brings a payment to its end; the merchant receives a webhook for a collection. */
  async decide(slot: Slot, how: HowItEnds): Promise<void> {
    const { gateway, checker } = this.world;
    const effect = gateway.effectsOf(slot).at(-1);
    if (!effect || !gateway.isOpen(effect)) return;
    effect.status = ENDS[slot.family][how];
    if (slot.family !== 'collection' || (await this.deliver(effect)) !== 200) return;
    if (effect.status === 'success' || !(await this.mayBeOfAnEarlierAttempt(slot))) checker.heardEnd(slot);
  }

  /** Then a failure is set aside: the webhooks of this gateway name no transaction of its answers. */
  private async mayBeOfAnEarlierAttempt(slot: Slot): Promise<boolean> {
    const { merchant, checker } = this.world;
    const entry = await merchant.stored(slot);
    return (
      entry !== undefined &&
      entry.state !== 'settled' &&
      (entry.attempt > 1 || checker.about(slot, 0).some(mayHaveRefused))
    );
  }

  /** A webhook that did not get through is sent again. */
  async deliverAgain(slot: Slot): Promise<void> {
    const { gateway, checker } = this.world;
    const [effect] = gateway.effectsOf(slot);
    if (!effect || slot.family !== 'collection') return;
    const status = await this.deliver(effect);
    checker.check(status === 200, 'a webhook was not taken', { slot, status });
  }

  /** A payment ends while the call that made it waits for its answer, and an operator tells the journal. */
  async settleMeanwhile(slot: Slot, { journal }: Pick<MerchantProcess, 'journal'>): Promise<void> {
    const { gateway, checker } = this.world;
    const effect = gateway.effectsOf(slot).at(-1);
    if (!effect || !gateway.isOpen(effect)) return;
    effect.status = ENDS[slot.family][0];
    if (await this.settleAs(slot, effect.status as PaymentOutcome, journal)) checker.heardEnd(slot);
  }

  /**
   * An operator looks at the ledger, once nothing is on its way any more, and tells the journal. A payment that failed after
   * the gateway had taken it is failed as well.
   */
  async settle(slot: Slot): Promise<void> {
    const { gateway, merchant, checker } = this.world;
    await this.letEverythingArrive();
    const entry = await merchant.stored(slot);
    const effect = gateway.effectsOf(slot).at(-1);
    if (entry?.state === 'accepted' && effect && !gateway.isOpen(effect)) {
      await this.settleAs(slot, effect.status as PaymentOutcome);
      return;
    }
    // The merchant gives it up.
    const isPlanned = entry?.state === 'planned' && !effect;
    if (!isPlanned && entry?.state !== 'unknown' && entry?.state !== 'in-flight') return;
    if (!effect) {
      await this.settleAs(slot, 'failed');
      checker.freed(slot);
      return;
    }
    if (gateway.isOpen(effect)) await this.decide(slot, 0);
    // The journal would take a failure for a payment that the gateway never had, and let it be made again.
    if (effect.status !== 'failed') await this.settleAs(slot, effect.status as PaymentOutcome);
  }

  async letEverythingArrive(): Promise<void> {
    const { gateway, merchant, reach } = this.world;
    if (gateway.letLateRequestsArrive() > 0) reach('a late request moves money');
    if ((await merchant.letLateWritesArrive()) > 0) reach('a late write arrives');
  }

  /** Whether the journal took it. */
  private async settleAs(
    slot: Slot,
    outcome: PaymentOutcome,
    journal: PaymentsJournal = this.world.merchant.replica(0).journal,
  ): Promise<boolean> {
    const { checker, reach } = this.world;
    try {
      await journal.settle(slot.family, slot.reference, outcome);
      reach('an operator settles');
      return true;
    } catch (error) {
      // A webhook came first.
      const isSettled = isPaymentsError(error) && error.code === 'ALREADY_SETTLED';
      checker.check(isSettled, 'the word of an operator was refused', viewOf(error));
      return false;
    }
  }

  /** The status of the answer; 0 if none came. */
  private deliver({ reference, amount, status }: Effect): Promise<number> {
    const event = paymentEvent(`payment.${status}` as 'payment.success', { reference, amount });
    const body = JSON.stringify(event);
    const headers = { 'content-type': 'application/json', ...signWebhook({ scheme, secret, body }) };
    const { port } = this;
    const address = { host: '127.0.0.1', port, path: '/webhooks/payments', method: 'POST', headers };
    return new Promise((resolve) => {
      const outgoing = send({ ...address, agent: false }, (response) => {
        response.resume();
        resolve(response.statusCode ?? 0);
      });
      outgoing.on('error', () => {
        resolve(0);
      });
      outgoing.end(body);
    });
  }
}
