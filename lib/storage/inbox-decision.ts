import { type InboxDelivery } from './inbox-store.js';

/** What the inbox remembers of one key. */
export interface InboxEntry {
  readonly event: string;
  readonly fingerprint: string;
  readonly providerReference?: string | undefined;
  /** `open`: the handlers failed, the next delivery runs them again. */
  readonly state: 'running' | 'open' | 'done';
  /** Milliseconds since 1970, by the store's clock. */
  readonly leaseUntil: number;
}

/** What a delivery may do, given the existing entry. */
export type InboxDecision = 'run' | 'run-instead' | 'done' | 'busy' | 'conflict';

/**
 * Decides about a delivery by the existing entry of its key.
 *
 * A final state is final: once an outcome was delivered, another one conflicts with it even if the handlers of the
 * first have not succeeded yet. While they run nothing is decided, because they may still be about to finish.
 */
export function decideClaim(entry: InboxEntry, delivery: InboxDelivery, now: number): InboxDecision {
  if (entry.state === 'running' && entry.leaseUntil > now) return 'busy';
  if (isSameOutcome(entry, delivery)) return entry.state === 'done' ? 'done' : 'run';
  const replaces = delivery.replaces === 'any' || delivery.replaces.includes(entry.fingerprint);
  return replaces ? 'run-instead' : 'conflict';
}

function isSameOutcome(entry: InboxEntry, { fingerprint, providerReference }: InboxDelivery): boolean {
  if (entry.fingerprint !== fingerprint) return false;
  const { providerReference: existing = providerReference } = entry;
  return providerReference === undefined || existing === providerReference;
}
