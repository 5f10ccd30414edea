import { type JournalEntry } from '../../common/journal-entry.js';
import { isPaymentsError } from '../../errors/payments-errors.js';
import { type PaymentsJournal } from '../../journal/payments-journal.js';
import { type LineState } from '../../storage/batch-store.js';

/** What the journal needs to say what became of a line. */
export type LineJournal = Pick<PaymentsJournal, 'get' | 'waitForOutcome'>;

/** The state of a line whose payment the journal holds. */
export function stateIn({
  state,
  outcome,
  final,
}: JournalEntry): Extract<LineState, 'accepted' | 'paid' | 'failed' | 'refused' | 'unknown'> {
  if (state === 'accepted') return 'accepted';
  if (state === 'settled') return outcome === 'paid' ? 'paid' : 'failed';
  return state === 'rejected' && final !== false ? 'refused' : 'unknown';
}

/**
 * The state of a line whose money may have moved by what the journal says; undefined if it says that none moved.
 */
export async function movedState(
  journal: LineJournal,
  reference: string,
): Promise<'accepted' | 'paid' | 'unknown' | undefined> {
  const entry = await journal.get('disbursement', reference);
  if (!entry) return (await isUnheardOf(journal, reference)) ? undefined : 'unknown';
  const state = stateIn(entry);
  return state === 'refused' || state === 'failed' ? undefined : state;
}

/** Whether the gateway turned a payment away in a way that proves nothing: the journal sends it again with the same key. */
export async function isTurnedAway(journal: LineJournal, reference: string): Promise<boolean> {
  const entry = await journal.get('disbursement', reference);
  return entry?.state === 'rejected' && entry.final === false;
}

/** Whether the journal never had a payment, and has not only forgotten it. */
export async function isUnheardOf(journal: LineJournal, reference: string): Promise<boolean> {
  return journal.waitForOutcome('disbursement', reference, { timeoutMs: 5_000 }).then(
    () => false,
    (error: unknown) => isPaymentsError(error) && error.code === 'ENTRY_NOT_FOUND',
  );
}
