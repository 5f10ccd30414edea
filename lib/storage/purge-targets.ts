import {
  type ForgettablePayments,
  type JournalRecord,
  type JournalScope,
  type PaymentTombstone,
} from './journal-store.js';
import { type JournalState, PAYMENT_FAMILIES } from '../common/vocabulary.js';

/** The families and states that a purge covers. */
export function purgeTargets(
  what: ForgettablePayments,
): readonly { readonly family: JournalScope['family']; readonly state: JournalState }[] {
  if (what === 'accepted-payouts') return [{ family: 'disbursement', state: 'accepted' }];
  return PAYMENT_FAMILIES.map((family) => ({ family, state: what }));
}

/** What a journal keeps of a payment that it forgets. */
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
