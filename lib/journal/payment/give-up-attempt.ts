import { LARGEST_ATTEMPT } from '../../gateway/call-options.js';
import {
  type JournalRecord,
  type JournalStore,
  type StoredJournalRecord,
} from '../../storage/journal-store.js';
import { unreadable } from '../../storage/sealed/sealed-journal.js';
import { type NewPayment, toInFlight, toRejected } from './journal-transitions.js';
import { mayBeTriedAgain } from './repeated-call.js';

/** A payment that nobody is to make, as far as the journal needs it. */
export type UnmadePayment = Omit<NewPayment, 'bodyHash' | 'body'>;

/**
 * Takes the next attempt of a payment away from all calls that have begun and not written it down yet, however late they do:
 * the journal holds it as refused from now on, or as settled if the last one was, so that each of them is told that it has ended. The attempt after it is free.
 *
 * @returns False if money may have moved, or a call has written the attempt down first. Then nothing was changed.
 */
export async function giveUpAttempt(store: JournalStore, payment: UnmadePayment): Promise<boolean> {
  const first = toGivenUp(payment, 1);
  const { inserted, stored, tombstone } = await store.insert(first, 0);
  // A client of the store that repeats a write after a lost answer finds its own record.
  if (inserted || stored?.record.intent === first.intent) return true;
  if (tombstone || !mayBeMadeAgain(stored)) return false;
  const { attempt, erased, state } = stored.record;
  // No call may ever make another attempt.
  if (erased || attempt >= LARGEST_ATTEMPT) return true;
  const next = toGivenUp(payment, attempt + 1);
  // What a person said of the last request stays, with its key.
  const { intent } = next;
  const ended = state === 'settled' ? { ...stored.record, attempt: attempt + 1, intent } : next;
  return (await store.replace(stored.version, ended, 0)) !== undefined;
}

/** Whether a call may begin the next attempt now, under another key. */
function mayBeMadeAgain(existing: StoredJournalRecord): boolean {
  const { record, leaseLeftMs } = existing;
  const keepsKey = record.state === 'rejected' && record.keepsKey;
  return mayBeTriedAgain(record) && unreadable(existing) === undefined && !keepsKey && leaseLeftMs <= 0;
}

/** An attempt that no request belongs to: nobody compares a body with it. */
function toGivenUp(payment: UnmadePayment, attempt: number): JournalRecord {
  return toRejected(toInFlight({ ...payment, bodyHash: '', body: '' }, attempt, undefined), 'proven');
}
