import { setImmediate as nextTurn } from 'node:timers/promises';
import { type WebhookScheme } from '../../common/webhook-scheme.js';
import { type Duration, milliseconds } from '../clock/duration.js';
import { type DueEvent, type TimeSource } from '../clock/sandbox-clock.js';
import {
  type Delivery,
  type DeliveryAttempt,
  newDelivery,
  type Replay,
  type WebhookEndpoint,
} from '../core/delivery.js';
import { type EventBus, type SandboxEvents } from '../core/event-bus.js';
import { type OutgoingEvent } from '../core/webhook-event.js';
import { type EndpointRegistry } from './endpoint-registry.js';
import {
  type DeliveryFacts,
  problemOf,
  problemOfForged,
  type SendResult,
  type WebhookSender,
} from './webhook-sender.js';
import { type Sending, WebhookSigner } from './webhook-signer.js';

/** The waits after the second failed try and later. Invented: the specification does not show them ("Events" rule 4). */
const LATER_WAITS: readonly Duration[] = ['5m', '30m', '2h', '5h', '10h', '10h'];

/** Delivers events at least once: follows the schedule until the receiver answers 200, or as the facts say. */
export class WebhookDeliverer {
  private readonly all = new Map<string, Delivery>();
  /** The running tries, with their deliveries. */
  private readonly running = new Map<Promise<void>, Delivery>();
  private readonly signer: WebhookSigner;
  private written = (): Promise<boolean> | boolean => true;

  constructor(
    private readonly clock: TimeSource,
    private readonly events: EventBus<SandboxEvents>,
    private readonly sender: WebhookSender,
    scheme: WebhookScheme,
    private readonly endpoints: EndpointRegistry,
    private readonly facts: DeliveryFacts,
  ) {
    this.signer = new WebhookSigner(clock, scheme, facts);
  }

  /** @param written Resolves once every change is written, to false if nothing may be sent: it could not be. */
  sendBy(written: () => Promise<boolean>): void {
    this.written = written;
  }

  /** Resolves when the first try at each receiver has ended. Does not wait for a try that is due later. */
  async deliver(event: OutgoingEvent): Promise<readonly Delivery[]> {
    const receivers = this.endpoints.receiversOf(event.merchant, event.event);
    const deliveries = receivers.map((endpoint, copy) => newDelivery(event, endpoint, copy));
    if (deliveries.length === 0) deliveries.push(newDelivery(event, undefined, 0));
    for (const delivery of deliveries) {
      this.all.set(delivery.id, delivery);
      this.events.emit('due', delivery);
    }
    await Promise.all(deliveries.map((delivery) => this.begin(delivery)));
    return deliveries;
  }

  list(): readonly Delivery[] {
    return [...this.all.values()];
  }

  /** Adds a delivery of another run. It waits for `resume`. */
  restore(delivery: Delivery): void {
    this.all.set(delivery.id, delivery);
  }

  /**
   * Continues with the deliveries that are due. A try that is overdue, or that another run did not finish, starts in the
   * next turn of the event loop: an address that is set right after the start counts for it.
   */
  resume(): void {
    const now = this.clock.now();
    for (const delivery of this.all.values()) {
      const { endpoint, state, nextAttemptAt = now, lateCopiesAt } = delivery;
      if (!endpoint) continue;
      for (const at of lateCopiesAt) this.planLateCopy(delivery, endpoint, at);
      if (state !== 'waiting') continue;
      if (nextAttemptAt > now) this.planAttempt(delivery, endpoint, nextAttemptAt - now);
      else void this.track(delivery, this.attemptSoon(delivery, endpoint));
    }
  }

  get(id: string): Delivery | undefined {
    return this.all.get(id);
  }

  /**
   * Sends an event once more, whatever its state. Resolves when the try has ended, to undefined if no
   * endpoint takes the event.
   */
  async replay(delivery: Delivery, replay: Replay): Promise<Delivery | undefined> {
    const { event } = delivery;
    // One that is turned off gets nothing more.
    const endpoint = delivery.endpoint?.enabled
      ? delivery.endpoint
      : this.endpoints.receiversOf(event.merchant, event.event)[0];
    if (!endpoint) return undefined;
    delivery.endpoint = endpoint;
    await this.track(delivery, this.send(delivery, endpoint, { replay }));
    return delivery;
  }

  /** The tries that are running. */
  tries(): Iterable<Promise<void>> {
    return this.running.keys();
  }

  /** Aborts running tries and removes their deliveries. A later try finds no delivery and does nothing. */
  async clear(merchant?: string): Promise<void> {
    for (const [id, delivery] of this.all) {
      if (merchant !== undefined && delivery.event.merchant !== merchant) continue;
      Object.assign(delivery, { nextAttemptAt: undefined, lateCopiesAt: [] });
      this.all.delete(id);
    }
    this.sender.abort(merchant);
    if (merchant === undefined) await Promise.all(this.running.keys());
  }

  /** Gives up what waits for an endpoint that was removed or turned off. */
  skip(endpointId: string): void {
    const isRemoved = this.endpoints.get(endpointId) === undefined;
    const trying = new Set(this.running.values());
    for (const delivery of this.all.values()) {
      if (delivery.endpoint?.id !== endpointId) continue;
      const isWaiting = delivery.state === 'waiting';
      delivery.lateCopiesAt = [];
      if (isWaiting) Object.assign(delivery, { state: 'skipped', nextAttemptAt: undefined });
      // A replay then goes to an endpoint that is there.
      if (isWaiting || isRemoved) delivery.endpoint = undefined;
      // The end of a running try tells what became of it, and of one that had ended there is nothing to tell.
      if (isWaiting && !trying.has(delivery)) this.events.emit('delivery', delivery);
      else this.events.emit('changed', ['delivery', delivery.id]);
    }
  }

  /** False after a reset. */
  private knows(delivery: Delivery): boolean {
    return this.all.get(delivery.id) === delivery;
  }

  private async begin(delivery: Delivery): Promise<void> {
    const { endpoint, event } = delivery;
    if (endpoint && event.plan.delayMs === 0) {
      await this.track(delivery, this.attempt(delivery, endpoint));
      return;
    }
    if (endpoint) this.planAttempt(delivery, endpoint, event.plan.delayMs);
    this.events.emit('delivery', delivery);
  }

  private track(delivery: Delivery, work: Promise<void>): Promise<void> {
    this.running.set(work, delivery);
    return work.finally(() => this.running.delete(work));
  }

  private planAttempt(delivery: Delivery, endpoint: WebhookEndpoint, delayMs: number): void {
    const due = this.clock.now() + delayMs;
    delivery.nextAttemptAt = due;
    this.clock.schedule(
      delayMs,
      () => void this.track(delivery, this.attempt(delivery, endpoint)),
      () => (delivery.nextAttemptAt === due ? dueDelivery(delivery) : undefined),
    );
  }

  private async attemptSoon(delivery: Delivery, endpoint: WebhookEndpoint): Promise<void> {
    await nextTurn();
    await this.attempt(delivery, endpoint);
  }

  /** Makes one scheduled try, with the forged try and the copies of the event's plan. */
  private async attempt(delivery: Delivery, endpoint: WebhookEndpoint): Promise<void> {
    // In the meantime the receiver may have answered 200 to a copy, or somebody reset the emulator.
    if (delivery.state !== 'waiting' || !this.knows(delivery)) return;
    const { plan } = delivery.event;
    delivery.nextAttemptAt = undefined;
    if (plan.forgedFirst && delivery.attempts.length === 0)
      await this.send(delivery, endpoint, { forged: true });
    if (!isStillFor(delivery, endpoint)) return;
    if (delivery.failures < plan.lost) {
      this.lose(delivery, endpoint);
      return;
    }
    const copies: Promise<void>[] = [];
    for (let copy = 0; copy < plan.copies && isStillFor(delivery, endpoint); copy += 1) {
      const sent = this.send(delivery, endpoint);
      if (!plan.atOnce) await sent;
      copies.push(sent);
    }
    await Promise.all(copies);
  }

  /** Sends an event once and records the result. */
  private async send(delivery: Delivery, endpoint: WebhookEndpoint, sending: Sending = {}): Promise<void> {
    // A receiver must not hear of what a kill could still undo.
    if (!(await this.written()) || !this.knows(delivery)) return;
    const { forged = false, replay } = sending;
    delivery.running += 1;
    const started = performance.now();
    const at = this.clock.now();
    const { url } = endpoint;
    let headers: DeliveryAttempt['headers'] = {};
    let result: SendResult;
    try {
      headers = this.signer.headersOf(delivery, endpoint, sending);
      result = await this.sender.send(delivery.event.merchant, url, headers, delivery.body);
    } catch (error) {
      // A custom scheme may throw, or return an invalid header.
      const problem = error instanceof Error ? error.message : String(error);
      result = { problem: `it could not be signed: ${problem}` };
    }
    delivery.running -= 1;
    this.record(delivery, endpoint, {
      at,
      url: url.href,
      answer: 'status' in result ? result : undefined,
      forged,
      problem: forged ? problemOfForged(result) : problemOf(result, this.facts),
      durationMs: Math.round(performance.now() - started),
      replay,
      headers,
    });
  }

  private lose(delivery: Delivery, endpoint: WebhookEndpoint): void {
    this.record(delivery, endpoint, {
      at: this.clock.now(),
      url: endpoint.url.href,
      answer: undefined,
      forged: false,
      problem: 'lost on its way, as its scenario has it',
      durationMs: 0,
      replay: undefined,
      headers: {},
    });
  }

  private record(
    delivery: Delivery,
    endpoint: WebhookEndpoint,
    attempt: Omit<DeliveryAttempt, 'number'>,
  ): void {
    if (!this.knows(delivery)) return;
    delivery.attempts.push({ number: delivery.attempts.length + 1, ...attempt });
    const { state } = delivery;
    if (attempt.problem === undefined) {
      if (state !== 'delivered') this.succeed(delivery, endpoint);
    } else if (attempt.replay !== undefined) {
      // The event was tried after all, and nothing more is planned.
      if (state === 'skipped' && isStillFor(delivery, endpoint)) delivery.state = 'exhausted';
    } else if (!attempt.forged && state === 'waiting') this.tryAgainLater(delivery, endpoint);
    this.events.emit('delivery', delivery);
  }

  private succeed(delivery: Delivery, endpoint: WebhookEndpoint): void {
    delivery.state = 'delivered';
    delivery.nextAttemptAt = undefined;
    if (!isStillFor(delivery, endpoint)) return;
    const now = this.clock.now();
    delivery.lateCopiesAt = delivery.event.plan.lateCopies.map((afterMs) => now + afterMs);
    for (const at of delivery.lateCopiesAt) this.planLateCopy(delivery, endpoint, at);
  }

  private planLateCopy(delivery: Delivery, endpoint: WebhookEndpoint, at: number): void {
    this.clock.schedule(
      at - this.clock.now(),
      () => {
        if (!delivery.lateCopiesAt.includes(at)) return;
        delivery.lateCopiesAt = delivery.lateCopiesAt.filter((due) => due !== at);
        void this.track(delivery, this.send(delivery, endpoint));
      },
      () => (delivery.lateCopiesAt.includes(at) ? dueDelivery(delivery) : undefined),
    );
  }

  private tryAgainLater(delivery: Delivery, endpoint: WebhookEndpoint): void {
    // If several copies fail together, only one try follows.
    if (delivery.nextAttemptAt !== undefined) return;
    delivery.failures += 1;
    const waits = [`${this.facts['first redelivery']}s` as const, ...LATER_WAITS];
    const wait = waits[delivery.failures - 1];
    if (wait === undefined) delivery.state = 'exhausted';
    else this.planAttempt(delivery, endpoint, milliseconds(wait));
  }
}

/** False once somebody removed the endpoint or turned it off. */
function isStillFor(delivery: Delivery, endpoint: WebhookEndpoint): boolean {
  return delivery.endpoint === endpoint && endpoint.enabled;
}

function dueDelivery({ event: { merchant, reference, event } }: Delivery): DueEvent {
  return { what: 'delivery', merchant, reference, to: event };
}
