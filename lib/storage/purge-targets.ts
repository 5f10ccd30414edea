import {
  type ForgettablePayments,
  type JournalRecord,
  type JournalScope,
  type PaymentTombstone,
} from './journal-store.js';
import { type JournalState } from '../common/vocabulary.js';

/** Where the payments stand that a journal is asked to forget. */
export function placesOf(
  what: ForgettablePayments,
): readonly { readonly family: JournalScope['family']; readonly state: JournalState }[] {
  if (what === 'accepted-payouts') return [{ family: 'disbursement', state: 'accepted' }];
  return [
    { family: 'collection', state: what },
    { family: 'disbursement', state: what },
  ];
}

/** What is kept of a payment that is forgotten. */
export function tombstoneOf({
  attempt,
  state,
  outcome,
  settledBy,
  keepsKey,
}: JournalRecord): PaymentTombstone {
  if (outcome !== undefined) return { attempt, end: outcome, ...(settledBy && { settledBy }) };
  if (state !== 'rejected') return { attempt, end: 'accepted' };
  return { attempt, end: keepsKey ? 'unlisted-refusal' : 'rejected' };
}
