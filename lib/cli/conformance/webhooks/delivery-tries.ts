import { type CapturedDelivery, claimedEvent } from './captured-delivery.js';

/** Deliveries of one event that follow each other faster than this are copies of one try. */
const COPIES_WITHIN_MS = 500;

/** One try to deliver an event: one POST, or copies that came together. */
export interface DeliveryTry {
  /** When its first copy came. */
  readonly at: number;
  /** The answer to its first copy. */
  readonly status: number;
  readonly copies: readonly CapturedDelivery[];
}

/** Tries by event and reference, in the order in which the events were first seen. */
export function triesByEvent(
  deliveries: readonly CapturedDelivery[],
): ReadonlyMap<string, readonly DeliveryTry[]> {
  const copies = new Map<string, CapturedDelivery[]>();
  for (const delivery of deliveries) {
    const key = eventKey(delivery.body);
    copies.set(key, [...(copies.get(key) ?? []), delivery]);
  }
  return new Map([...copies].map(([key, all]) => [key, triesOf(all)]));
}

/** The same for every delivery of one event. */
export function eventKey(body: Buffer): string {
  const { event, reference } = claimedEvent(body);
  return JSON.stringify([event, reference]);
}

/** Whether a delivery that comes now belongs to the try that came before it. */
export function isCopy(earlier: CapturedDelivery | undefined, now: number): boolean {
  return earlier !== undefined && now - earlier.at < COPIES_WITHIN_MS;
}

function triesOf(deliveries: readonly CapturedDelivery[]): readonly DeliveryTry[] {
  const tries: CapturedDelivery[][] = [];
  for (const delivery of deliveries) {
    const last = tries.at(-1);
    if (last && isCopy(last.at(-1), delivery.at)) last.push(delivery);
    else tries.push([delivery]);
  }
  return tries.flatMap((copies) => {
    const [first] = copies;
    return first ? [{ at: first.at, status: first.status, copies }] : [];
  });
}
