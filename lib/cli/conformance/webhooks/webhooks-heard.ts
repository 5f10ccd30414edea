import { type CapturedDelivery, claimedEvent } from './captured-delivery.js';

/** What was done with a payment or a payout, so that a webhook would follow. */
export type AskedEnding = 'approve' | 'decline' | 'cancel' | 'expire' | 'payout' | 'other';

/** A reference of this run. */
export interface AskedReference {
  readonly ending: AskedEnding;
  /**
   * `now`: the gateway accepted it while this listened. `earlier`: its request was sent before this listened, so that tries of its
   * webhooks may have been missed. `unknown`: it was refused, or no answer came yet.
   */
  readonly accepted: 'now' | 'earlier' | 'unknown';
}

/** The references of this run. A reference is there before its request is sent. */
export type AskedReferences = ReadonlyMap<string, AskedReference>;

/** Everything that the listener heard in a run. */
export interface WebhooksHeard {
  /** The deliveries of this run's own references. Nobody else knows them, so strangers are not among these. */
  readonly deliveries: readonly CapturedDelivery[];
  readonly asked: AskedReferences;
  /** The signing secrets that the user gave; several while one replaces another. */
  readonly secrets: readonly string[];
  /** From when to when it listened, by the clock of the waits. */
  readonly from: number;
  readonly until: number;
}

/** What is known of the reference that a delivery names. */
export function askedBy(
  asked: AskedReferences,
  { body }: Pick<CapturedDelivery, 'body'>,
): AskedReference | undefined {
  return asked.get(claimedEvent(body).reference ?? '');
}

/** The deliveries whose first try cannot have been missed. */
export function deliveriesFromTheirFirstTry({
  deliveries,
  asked,
}: Pick<WebhooksHeard, 'deliveries' | 'asked'>): readonly CapturedDelivery[] {
  return deliveries.filter((delivery) => askedBy(asked, delivery)?.accepted !== 'earlier');
}

/** How long it listened, as a clause. */
export function listenedFor({ from, until }: WebhooksHeard): string {
  const seconds = Math.round((until - from) / 1_000);
  return seconds >= 120 ? `${Math.floor(seconds / 60)} min` : `${seconds} s`;
}
