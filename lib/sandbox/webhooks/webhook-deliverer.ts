import { type WebhookScheme } from '../../common/webhook-scheme.js';
import { type TimeSource } from '../clock/sandbox-clock.js';
import { type ActivityHub } from '../core/activity.js';
import { timestamp } from '../core/collection.js';
import { type OutgoingEvent } from '../core/webhook-event.js';
import { type SandboxDelivery, type SandboxDeliveryAttempt } from '../control/control-types.js';
import { waitAfter } from './redelivery-schedule.js';
import { type SendResult, type WebhookSender } from './webhook-sender.js';

/** How deliveries are signed. */
export interface WebhookSigning {
  readonly scheme: WebhookScheme;
  readonly key: Uint8Array;
}

interface Delivery {
  readonly event: OutgoingEvent;
  readonly body: Buffer;
  readonly url: URL | undefined;
  readonly attempts: SandboxDeliveryAttempt[];
  state: SandboxDelivery['state'];
  /** Tries by the schedule that were not answered 200. */
  failures: number;
  nextAttemptAt: number | undefined;
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

  /** Resolves when the first try has ended, whatever its answer. */
  deliver(event: OutgoingEvent): Promise<void> {
    const url = this.targets.get(event.merchant) ?? this.target;
    const delivery: Delivery = {
      event,
      body: Buffer.from(event.body),
      url,
      attempts: [],
      state: url ? 'waiting' : 'skipped',
      failures: 0,
      nextAttemptAt: undefined,
    };
    this.all.push(delivery);
    if (delivery.url) return this.track(this.attempt(delivery, delivery.url));
    this.announce(delivery);
    return Promise.resolve();
  }

  list(): readonly SandboxDelivery[] {
    return this.all.map(sandboxDelivery);
  }

  /** Resolves when no try is under way. */
  async idle(): Promise<void> {
    while (this.underWay.size > 0) await Promise.all(this.underWay);
  }

  /** Gives up what is under way and forgets everything; tries that are still due find themselves forgotten. */
  async clear(): Promise<void> {
    this.all = [];
    this.sender.abortAll();
    await this.idle();
  }

  private track(work: Promise<void>): Promise<void> {
    this.underWay.add(work);
    return work.finally(() => this.underWay.delete(work));
  }

  /** One delivery by the schedule, with what the event's plan puts before and after it. */
  private async attempt(delivery: Delivery, url: URL): Promise<void> {
    const { plan } = delivery.event;
    delivery.nextAttemptAt = undefined;
    if (plan.forgedFirst && delivery.attempts.length === 0) await this.send(delivery, url, FORGED);
    if (delivery.failures < plan.lost) this.lose(delivery, url);
    else await this.send(delivery, url, this.signing.key);
    for (let copy = 1; copy < plan.copies && delivery.state === 'delivered'; copy += 1) {
      await this.send(delivery, url, this.signing.key);
    }
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
    if (attempt.problem === null) delivery.state = 'delivered';
    else if (!attempt.forged && delivery.state !== 'delivered') this.tryAgainLater(delivery, url);
    this.announce(delivery);
  }

  /** Never rejects: a scheme of somebody's own may throw, or sign with what no header can hold. */
  private async post(delivery: Delivery, url: URL, key: Uint8Array): Promise<SendResult> {
    try {
      return await this.sender.send(url, this.headers(delivery, key), delivery.body);
    } catch (error) {
      return { problem: `it could not be signed: ${error instanceof Error ? error.message : String(error)}` };
    }
  }

  private tryAgainLater(delivery: Delivery, url: URL): void {
    delivery.failures += 1;
    const wait = waitAfter(delivery.failures);
    if (wait === undefined) {
      delivery.state = 'exhausted';
    } else {
      delivery.nextAttemptAt = this.clock.now() + wait;
      this.clock.schedule(wait, () => void this.track(this.attempt(delivery, url)));
    }
  }

  private headers({ event, body }: Delivery, key: Uint8Array): Record<string, string> {
    const { scheme } = this.signing;
    return {
      'content-type': 'application/json',
      'user-agent': 'nestjs-payments-sandbox',
      // The receiver compares with its own clock, so a signature never follows the sandbox's.
      ...scheme.sign?.({ body, key, now: Date.now(), id: event.id }),
    };
  }

  private announce(delivery: Delivery): void {
    this.hub.emit('delivery', sandboxDelivery(delivery));
  }
}

/** Only 200 is success (specification, "Events" rule 2); null where it was. */
function problemOf(result: SendResult): string | null {
  if ('problem' in result) return result.problem;
  if (result.status === 200) return null;
  if (result.status >= 300 && result.status < 400)
    return `answered ${result.status}: redirects are not followed`;
  return `answered ${result.status} instead of 200`;
}

/** Never null: a forged one is no delivery. */
function problemOfForged(result: SendResult): string {
  if ('problem' in result) return result.problem;
  return result.status < 300
    ? `answered ${result.status} to a forged signature: the application does not verify webhooks`
    : `answered ${result.status}: its signature was forged on purpose`;
}

function sandboxDelivery({ event, url, state, attempts, nextAttemptAt }: Delivery): SandboxDelivery {
  return Object.freeze({
    id: event.id,
    merchant: event.merchant,
    event: event.event,
    reference: event.reference,
    url: url?.href ?? null,
    state,
    status: attempts.at(-1)?.status ?? null,
    attempts: Object.freeze(attempts.map((attempt) => Object.freeze({ ...attempt }))),
    next_attempt_at: nextAttemptAt === undefined ? null : timestamp(nextAttemptAt),
    body: event.body,
  });
}
