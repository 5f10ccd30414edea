import { type WebhookScheme } from '../../common/webhook-scheme.js';
import { type TimeSource } from '../clock/sandbox-clock.js';
import { type ActivityHub } from '../core/activity.js';
import { timestamp } from '../core/collection.js';
import { type OutgoingEvent } from '../core/webhook-event.js';
import { type SandboxDelivery, type SandboxDeliveryAttempt } from '../control/control-types.js';
import { type Delivery, newDelivery, sandboxDelivery } from './delivery.js';
import { problemOf, problemOfForged } from './delivery-problem.js';
import { waitAfter } from './redelivery-schedule.js';
import { type SendResult, type WebhookSender } from './webhook-sender.js';

/** How deliveries are signed. */
export interface WebhookSigning {
  readonly scheme: WebhookScheme;
  readonly key: Uint8Array;
}

/** A key that no receiver has. */
const FORGED = Buffer.from('a key that belongs to nobody: forged');

/** Delivers events at least once: again and again by the schedule, until one try is answered 200. */
export class WebhookDeliverer {
  /** Where events of merchants without an address of their own go. */
  target: URL | undefined;
  readonly targets = new Map<string, URL>();
  private all: Delivery[] = [];
  private readonly underWay = new Set<Promise<void>>();

  constructor(
    private readonly clock: TimeSource,
    private readonly hub: ActivityHub,
    private readonly sender: WebhookSender,
    private readonly signing: WebhookSigning,
  ) {}

  /** Resolves when the first try has ended, whatever its answer; at once where it comes later. */
  async deliver(event: OutgoingEvent): Promise<void> {
    const url = this.targets.get(event.merchant) ?? this.target;
    const delivery = newDelivery(event, url);
    this.all.push(delivery);
    if (url && event.plan.delayMs === 0) {
      await this.track(this.attempt(delivery, url));
      return;
    }
    if (url) this.planAttempt(delivery, url, event.plan.delayMs);
    this.announce(delivery);
  }

  list(): readonly SandboxDelivery[] {
    return this.all.map(sandboxDelivery);
  }

  /** Resolves when no try is under way. */
  async idle(): Promise<void> {
    while (this.underWay.size > 0) await Promise.all(this.underWay);
  }

  /** Gives up what is under way and forgets it; tries that are still due find themselves forgotten. */
  async clear(merchant?: string): Promise<void> {
    this.all = merchant === undefined ? [] : this.all.filter(({ event }) => event.merchant !== merchant);
    this.sender.abort(merchant);
    if (merchant === undefined) await this.idle();
  }

  private track(work: Promise<void>): Promise<void> {
    this.underWay.add(work);
    return work.finally(() => this.underWay.delete(work));
  }

  private planAttempt(delivery: Delivery, url: URL, delayMs: number): void {
    delivery.nextAttemptAt = this.clock.now() + delayMs;
    this.clock.schedule(delayMs, () => void this.track(this.attempt(delivery, url)));
  }

  /** One delivery by the schedule, with what the event's plan puts before and beside it. */
  private async attempt(delivery: Delivery, url: URL): Promise<void> {
    // A copy of it may have been answered 200 meanwhile.
    if (delivery.state === 'delivered' || !this.all.includes(delivery)) return;
    const { plan } = delivery.event;
    delivery.nextAttemptAt = undefined;
    if (plan.forgedFirst && delivery.attempts.length === 0) await this.send(delivery, url, FORGED);
    if (delivery.failures < plan.lost) {
      this.lose(delivery, url);
      return;
    }
    const first = this.send(delivery, url, this.signing.key);
    if (!plan.atOnce) await first;
    const copies: Promise<void>[] = [first];
    for (let copy = 1; copy < plan.copies; copy += 1) {
      const sent = this.send(delivery, url, this.signing.key);
      if (!plan.atOnce) await sent;
      copies.push(sent);
    }
    await Promise.all(copies);
  }

  /** Sends it once and writes down how that ended. */
  private async send(delivery: Delivery, url: URL, key: Uint8Array): Promise<void> {
    if (!this.all.includes(delivery)) return;
    const started = performance.now();
    const at = this.clock.now();
    const result = await this.post(delivery, url, key);
    const forged = key === FORGED;
    this.note(delivery, url, {
      at: timestamp(at),
      status: 'status' in result ? result.status : null,
      forged,
      problem: forged ? problemOfForged(result) : problemOf(result),
      duration_ms: Math.round(performance.now() - started),
    });
  }

  private lose(delivery: Delivery, url: URL): void {
    const problem = 'lost on its way, as its scenario has it';
    const at = timestamp(this.clock.now());
    this.note(delivery, url, { at, status: null, forged: false, problem, duration_ms: 0 });
  }

  private note(delivery: Delivery, url: URL, attempt: Omit<SandboxDeliveryAttempt, 'number'>): void {
    if (!this.all.includes(delivery)) return;
    delivery.attempts.push({ number: delivery.attempts.length + 1, ...attempt });
    const delivered = delivery.state === 'delivered';
    if (attempt.problem === null && !delivered) this.succeed(delivery, url);
    else if (attempt.problem !== null && !attempt.forged && !delivered) this.tryAgainLater(delivery, url);
    this.announce(delivery);
  }

  private succeed(delivery: Delivery, url: URL): void {
    delivery.state = 'delivered';
    delivery.nextAttemptAt = undefined;
    for (const afterMs of delivery.event.plan.lateCopies) {
      this.clock.schedule(afterMs, () => void this.track(this.send(delivery, url, this.signing.key)));
    }
  }

  /** Never rejects: a scheme of somebody's own may throw, or sign with what no header can hold. */
  private async post(delivery: Delivery, url: URL, key: Uint8Array): Promise<SendResult> {
    try {
      return await this.sender.send(delivery.event.merchant, url, this.headers(delivery, key), delivery.body);
    } catch (error) {
      return { problem: `it could not be signed: ${error instanceof Error ? error.message : String(error)}` };
    }
  }

  private tryAgainLater(delivery: Delivery, url: URL): void {
    // Of copies that fail together, one comes again.
    if (delivery.nextAttemptAt !== undefined) return;
    delivery.failures += 1;
    const wait = waitAfter(delivery.failures);
    if (wait === undefined) delivery.state = 'exhausted';
    else this.planAttempt(delivery, url, wait);
  }

  private headers({ event, body }: Delivery, key: Uint8Array): Record<string, string> {
    const { scheme } = this.signing;
    return {
      'content-type': event.contentType,
      'user-agent': 'nestjs-payments-sandbox',
      // The receiver compares with its own clock, so a signature never follows the sandbox's.
      ...scheme.sign?.({ body, key, now: Date.now(), id: event.id }),
    };
  }

  private announce(delivery: Delivery): void {
    this.hub.emit('delivery', sandboxDelivery(delivery));
  }
}
