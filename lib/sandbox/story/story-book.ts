import { type SandboxDelivery } from '../control/control-types.js';
import { type EventBus } from '../core/activity.js';
import { timestamp } from '../core/collection.js';
import { type TimeSource } from '../clock/sandbox-clock.js';
import {
  attemptLine,
  paymentLine,
  payoutLine,
  requestLine,
  type StoryLine,
  unsentLine,
} from './story-line.js';

/** Whose story it is, and what happened. */
export interface Story {
  readonly merchant: string;
  readonly reference: string;
  readonly lines: readonly StoryLine[];
}

/** Writes down what happens to every reference, in the order in which it happened. */
export class Timeline {
  private readonly byMerchant = new Map<string, Map<string, StoryLine[]>>();
  /** Tries of a delivery that are written down already, by its id. */
  private readonly written = new Map<string, number>();

  constructor(
    hub: EventBus,
    private readonly clock: Pick<TimeSource, 'now'>,
  ) {
    hub.on('payment', (payment) => {
      this.add(payment.merchant, payment.reference, paymentLine(payment, this.now()));
    });
    hub.on('payout', (payout) => {
      this.add(payout.merchant, payout.reference, payoutLine(payout, this.now()));
    });
    hub.on('exchange', ({ request }) => {
      const reference = referenceOf(request.body);
      if (request.merchant !== null && reference !== undefined) {
        this.add(request.merchant, reference, requestLine(request));
      }
    });
    hub.on('delivery', (delivery) => {
      this.addAttempts(delivery);
    });
  }

  /** The stories of a reference, one for each merchant that knows it, or of one merchant alone. */
  of(reference: string, merchant?: string): readonly Story[] {
    return [...this.byMerchant]
      .filter(([name]) => merchant === undefined || name === merchant)
      .flatMap(([name, stories]) => {
        const lines = stories.get(reference);
        return lines ? [{ merchant: name, reference, lines: [...lines] }] : [];
      });
  }

  /** Every reference that has a story. */
  references(merchant?: string): readonly string[] {
    return [...this.byMerchant]
      .filter(([name]) => merchant === undefined || name === merchant)
      .flatMap(([, stories]) => [...stories.keys()]);
  }

  clear(merchant?: string): void {
    if (merchant === undefined) {
      this.byMerchant.clear();
      this.written.clear();
    } else {
      this.byMerchant.delete(merchant);
    }
  }

  private addAttempts(delivery: SandboxDelivery): void {
    const { id, merchant, reference, attempts } = delivery;
    const known = this.written.get(id);
    this.written.set(id, attempts.length);
    if (attempts.length === 0) this.add(merchant, reference, unsentLine(delivery, this.now()));
    for (const attempt of attempts.slice(known ?? 0)) {
      this.add(merchant, reference, attemptLine(delivery, attempt));
    }
  }

  private add(merchant: string, reference: string, line: StoryLine): void {
    const stories = this.byMerchant.get(merchant) ?? new Map<string, StoryLine[]>();
    this.byMerchant.set(merchant, stories);
    const lines = stories.get(reference);
    if (lines) lines.push(line);
    else stories.set(reference, [line]);
  }

  private now(): string {
    return timestamp(this.clock.now());
  }
}

function referenceOf(body: unknown): string | undefined {
  const reference =
    typeof body === 'object' && body !== null ? (body as { reference?: unknown }).reference : undefined;
  return typeof reference === 'string' ? reference : undefined;
}
