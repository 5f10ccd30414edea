import { type ForgettablePayments, type JournalScope, type JournalState } from '../common/journal-port.js';

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
