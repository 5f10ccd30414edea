import { type JournalEntry } from 'nestjs-payments';
import { type FailureReason } from '../orders/order.js';
import { type CollectionOutcome } from './settle-order.js';

/** The journal's result for an abandoned order. */
export type JournalVerdict =
  | { readonly kind: 'ended'; readonly outcome: CollectionOutcome }
  | { readonly kind: 'not-asked'; readonly reason: FailureReason }
  | { readonly kind: 'open'; readonly state: 'waiting' | 'unknown' };

/** @param entry Undefined: nothing was ever sent under this reference, because the journal comes first. */
export function journalVerdict(
  entry: Pick<JournalEntry, 'state' | 'outcome' | 'final'> | undefined,
): JournalVerdict {
  if (!entry) return { kind: 'not-asked', reason: 'unavailable' };
  if (entry.state === 'settled') return { kind: 'ended', outcome: entry.outcome as CollectionOutcome };
  if (entry.state === 'rejected')
    return { kind: 'not-asked', reason: entry.final === false ? 'unavailable' : 'refused' };
  return { kind: 'open', state: entry.state === 'accepted' ? 'waiting' : 'unknown' };
}
