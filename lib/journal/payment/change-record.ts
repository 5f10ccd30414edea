import {
  type JournalKey,
  type JournalRecord,
  type JournalStore,
  type StoredJournalRecord,
} from '../../storage/journal-store.js';
import { quoted } from '../../common/quoted.js';
import { SafeLogger } from '../../common/safe-logger.js';
import { endedAsBefore } from './journal-transitions.js';
import { PaymentsStorageError } from '../../errors/payments-errors.js';

const TRIES = 20;

/**
 * Changes a record. Tries again if another process was faster.
 *
 * @param change Returns the record itself, or undefined, if nothing is to change.
 * @param lease `ends` if the call that holds the payment is over; `stays` if it may still be running.
 * @returns The record afterwards.
 */
export async function changeRecord(
  store: JournalStore,
  key: JournalKey,
  change: (existing: StoredJournalRecord) => JournalRecord | undefined,
  lease: 'ends' | 'stays',
): Promise<StoredJournalRecord | undefined> {
  for (let tries = 0; tries < TRIES; tries += 1) {
    const existing = await store.get(key);
    const next = existing && change(existing);
    if (!next || next === existing.record) return existing;
    const written = endedAsBefore(existing, next);
    const stored = await store.replace(
      existing.version,
      written,
      lease === 'stays' ? existing.leaseLeftMs : 0,
    );
    if (stored) {
      reportConflict(existing.record, next);
      return stored;
    }
  }
  throw new PaymentsStorageError(
    'The journal could not be written: other processes keep changing this payment.',
  );
}

/** Logs a contradiction: only an operator can settle the payment again. */
function reportConflict({ state, outcome }: JournalRecord, next: JournalRecord): void {
  const reopened = next.state === 'unknown' && (state === 'settled' || state === 'rejected');
  if (!reopened && (state === 'unknown' || next.evidence !== 'conflict')) return;
  const { operation, evidence } = next;
  const reference = quoted(next.reference);
  const what =
    evidence === 'conflict'
      ? `The gateway acknowledged ${operation} for the reference ${reference}, which`
      : `No clear answer came to ${operation} for the reference ${reference}, which meanwhile`;
  new SafeLogger('PaymentsJournal').error(
    `${what} was written down as ${outcome ?? state}: it is unknown again. ` +
      'Ask the gateway what happened to it, then write it down once more with PaymentsJournal.settle().',
  );
}
