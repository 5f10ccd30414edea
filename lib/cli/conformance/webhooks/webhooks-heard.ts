import { type CapturedDelivery, claimedEvent } from './captured-delivery.js';

/** What was done with a payment or a payout, so that a webhook would follow. */
export type AskedEnding = 'approve' | 'decline' | 'cancel' | 'expire' | 'payout' | 'other';

/** References of this run, with what was done. A reference is there before its request is sent. */
export type AskedReferences = ReadonlyMap<string, AskedEnding>;

/** Everything that the listener heard in a run. */
export interface WebhooksHeard {
  readonly deliveries: readonly CapturedDelivery[];
  readonly asked: AskedReferences;
  /** The signing secrets that the user gave; several while one replaces another. */
  readonly secrets: readonly string[];
  /** From when to when it listened, by the clock of the waits. */
  readonly from: number;
  readonly until: number;
}

/** The deliveries of this run's own references. Nobody else knows them, so strangers are not among these. */
export function ownDeliveries({
  deliveries,
  asked,
}: Pick<WebhooksHeard, 'deliveries' | 'asked'>): CapturedDelivery[] {
  return deliveries.filter(({ body }) => {
    const { reference } = claimedEvent(body);
    return reference !== undefined && asked.has(reference);
  });
}

/** How long it listened, as a clause. */
export function listenedFor({ from, until }: WebhooksHeard): string {
  const seconds = Math.round((until - from) / 1_000);
  return seconds >= 120 ? `${Math.floor(seconds / 60)} min` : `${seconds} s`;
}
