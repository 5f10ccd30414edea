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
  nextAttemptAt: number | undefined;
}

/** Delivers events at least once: again and again by the schedule, until one try is answered 200. */
export class WebhookDeliverer {
  target: URL | undefined;
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
    const delivery: Delivery = {
      event,
      body: Buffer.from(event.body),
      url: this.target,
      attempts: [],
      state: this.target ? 'waiting' : 'skipped',
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

  private async attempt(delivery: Delivery, url: URL): Promise<void> {
    const started = performance.now();
    const at = this.clock.now();
    delivery.nextAttemptAt = undefined;
    const result = await this.post(delivery, url);
    if (!this.all.includes(delivery)) return;
    delivery.attempts.push({
      number: delivery.attempts.length + 1,
      at: timestamp(at),
      status: 'status' in result ? result.status : null,
      problem: problemOf(result),
      duration_ms: Math.round(performance.now() - started),
    });
    if (problemOf(result) === null) delivery.state = 'delivered';
    else this.tryAgainLater(delivery, url);
    this.announce(delivery);
  }

  /** Never rejects: a scheme of somebody's own may throw, or sign with what no header can hold. */
  private async post(delivery: Delivery, url: URL): Promise<SendResult> {
    try {
      return await this.sender.send(url, this.headers(delivery), delivery.body);
    } catch (error) {
      return { problem: `it could not be signed: ${error instanceof Error ? error.message : String(error)}` };
    }
  }

  private tryAgainLater(delivery: Delivery, url: URL): void {
    const wait = waitAfter(delivery.attempts.length);
    if (wait === undefined) {
      delivery.state = 'exhausted';
      return;
    }
    delivery.nextAttemptAt = this.clock.now() + wait;
    this.clock.schedule(wait, () => void this.track(this.attempt(delivery, url)));
  }

  private headers({ event, body }: Delivery): Record<string, string> {
    const { scheme, key } = this.signing;
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
