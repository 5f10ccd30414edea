import { printable } from '../../common/printable.js';
import { type TimeSource } from '../clock/sandbox-clock.js';
import { timestamp } from '../clock/timestamp.js';
import { type Delivery } from '../core/delivery.js';
import { type EventBus, type SandboxEvents } from '../core/event-bus.js';
import { type RequestJournal, type SandboxRequest } from '../core/request-journal.js';
import { type EndpointRegistry } from '../webhooks/endpoint-registry.js';
import {
  attemptEntry,
  givenUpEntry,
  paymentEntry,
  payoutEntry,
  requestEntry,
  type TimelineEntry,
  unsentEntry,
} from './timeline-entry.js';

/** What happened to one reference of one merchant. */
interface ReferenceTimeline {
  readonly merchant: string;
  readonly reference: string;
  readonly entries: readonly TimelineEntry[];
}

/** What is kept of one reference. */
interface KeptEntries {
  /** The index of the first entry: those before it were cut off. */
  first: number;
  readonly entries: TimelineEntry[];
  /** Whether all entries, those that were cut off too, are requests. */
  onlyRequests: boolean;
}

/** Records what happens to every reference, in order. */
export class Timeline {
  private readonly byMerchant = new Map<string, Map<string, KeptEntries>>();
  /** The number of recorded tries. */
  private readonly recorded = new WeakMap<Delivery, number>();

  constructor(
    private readonly events: EventBus<SandboxEvents>,
    private readonly clock: Pick<TimeSource, 'now'>,
    private readonly endpoints: Pick<EndpointRegistry, 'whyUnsent'>,
    private readonly journal: Pick<RequestJournal, 'get'>,
  ) {
    events.on('payment', (payment) => {
      this.add(payment.merchant, payment.request.reference, paymentEntry(payment, this.now()));
    });
    events.on('payout', (payout) => {
      this.add(payout.merchant, payout.request.reference, payoutEntry(payout, this.now()));
    });
    events.on('exchange', ({ request }) => {
      const { merchant, reference } = request;
      if (merchant !== null && reference !== null) {
        this.add(merchant, reference, requestEntry(request));
        // It was dropped before its timeline had an entry of it.
        if (!journal.get(request.id)) this.forget(request);
      }
    });
    events.on('delivery', (delivery) => {
      this.addAttempts(delivery);
    });
  }

  /** The timelines of a reference: one for each merchant that has it, or only that of one merchant. */
  of(reference: string, merchant?: string): readonly ReferenceTimeline[] {
    return this.ofMerchants(merchant).flatMap(([name, references]) => {
      const kept = references.get(reference);
      return kept ? [{ merchant: name, reference, entries: [...kept.entries] }] : [];
    });
  }

  /** Describes what happened to a reference, one line for each entry. */
  describe(reference: string, merchant?: string): string {
    const timelines = this.of(reference, merchant);
    if (timelines.length > 0) return timelines.map(asText).join('\n\n');
    const known = this.ofMerchants(merchant).flatMap(([, references]) => [...references.keys()]);
    const newest = known.slice(-10).map(printable).join(', ');
    const others = known.length === 0 ? 'The sandbox has seen no reference yet.' : `Seen last: ${newest}.`;
    return `Nothing has happened to ${printable(reference)}. ${others}`;
  }

  /** The place of every entry. */
  list(): readonly (readonly [merchant: string, reference: string, index: number])[] {
    return [...this.byMerchant].flatMap(([merchant, references]) =>
      [...references].flatMap(([reference, { first, entries }]) =>
        entries.map((_, position) => [merchant, reference, first + position] as const),
      ),
    );
  }

  entry(merchant: string, reference: string, index: number): TimelineEntry | undefined {
    const kept = this.byMerchant.get(merchant)?.get(reference);
    return kept?.entries[index - kept.first];
  }

  /** Adds an entry of another run. The first one of a reference has the index that it had there. */
  restore(merchant: string, reference: string, index: number, entry: TimelineEntry): void {
    this.append(merchant, reference, entry, index);
  }

  /** Counts the tries that another run recorded. */
  restoreDelivery(delivery: Delivery): void {
    this.recorded.set(delivery, delivery.attempts.length);
  }

  /**
   * Cuts dropped requests off the beginning of a timeline that holds nothing but requests: a reference without a payment
   * may be asked for without end. The other entries keep their indexes.
   */
  forget({ merchant, reference }: SandboxRequest): void {
    if (merchant === null || reference === null) return;
    const references = this.byMerchant.get(merchant);
    const kept = references?.get(reference);
    if (!kept?.onlyRequests) return;
    const { first, entries } = kept;
    const position = entries.findIndex(({ id }) => this.journal.get(id ?? ''));
    kept.first += entries.splice(0, position === -1 ? Infinity : position).length;
    if (entries.length === 0) references?.delete(reference);
    for (let index = first; index < kept.first; index += 1)
      this.events.emit('changed', ['timeline', merchant, reference, String(index)]);
  }

  clear(merchant?: string): void {
    if (merchant === undefined) this.byMerchant.clear();
    else this.byMerchant.delete(merchant);
  }

  private ofMerchants(merchant?: string): readonly (readonly [string, ReadonlyMap<string, KeptEntries>])[] {
    return [...this.byMerchant].filter(([name]) => merchant === undefined || name === merchant);
  }

  private addAttempts(delivery: Delivery): void {
    const { event, attempts } = delivery;
    const { merchant, reference } = event;
    const known = this.recorded.get(delivery);
    this.recorded.set(delivery, attempts.length);
    if (attempts.length === 0) {
      const reason = this.endpoints.whyUnsent(merchant, event.event);
      this.add(merchant, reference, unsentEntry(delivery, this.now(), reason));
    }
    for (const attempt of attempts.slice(known ?? 0)) {
      this.add(merchant, reference, attemptEntry(delivery, attempt));
    }
    // Nothing else says that the next try, which the last entry may name, does not come.
    if (attempts.length > 0 && delivery.state === 'skipped' && delivery.running === 0)
      this.add(merchant, reference, givenUpEntry(delivery, this.now()));
  }

  private add(merchant: string, reference: string, entry: TimelineEntry): void {
    const index = this.append(merchant, reference, entry);
    this.events.emit('changed', ['timeline', merchant, reference, String(index)]);
  }

  /**
   * Returns the entry's index.
   *
   * @param first The index of the first entry of a reference.
   */
  private append(merchant: string, reference: string, entry: TimelineEntry, first = 0): number {
    const references = this.byMerchant.get(merchant) ?? new Map<string, KeptEntries>();
    this.byMerchant.set(merchant, references);
    const kept = references.get(reference) ?? { first, entries: [], onlyRequests: true };
    references.set(reference, kept);
    kept.onlyRequests &&= entry.what === 'request';
    return kept.first + kept.entries.push(entry) - 1;
  }

  private now(): string {
    return timestamp(this.clock.now());
  }
}

function asText({ merchant, reference, entries }: ReferenceTimeline): string {
  const rows = entries.map(({ at, what, text }) => `  ${at}  ${what.padEnd(8)}  ${printable(text)}`);
  return [`${printable(reference)} of ${merchant}, by the sandbox's clock:`, ...rows].join('\n');
}
