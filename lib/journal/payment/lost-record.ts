import { quoted } from '../../common/quoted.js';
import { SafeLogger } from '../../common/safe-logger.js';
import {
  type JournalRecord,
  type JournalStore,
  type StoredJournalRecord,
} from '../../storage/journal-store.js';
import { isUntouched } from './journal-transitions.js';

/**
 * Overwrites the earlier attempt with the end of a call, if a fail-over or a restored back-up brought it back. If it
 * has changed since, it stays: a webhook may have settled it.
 *
 * @param end The record that the call writes when it ends.
 * @param before The record that the call found when it began.
 */
export async function replaceReverted(
  store: JournalStore,
  end: JournalRecord,
  before: JournalRecord | undefined,
): Promise<StoredJournalRecord | undefined> {
  if (!before || before.intent === end.intent) return undefined;
  const existing = await store.get(end);
  if (!existing || !isUntouched(existing.record, before)) return undefined;
  const written = await store.replace(existing.version, end, 0);
  if (written) logLoss(end);
  return written;
}

/**
 * Writes a payment again that the journal lost during its call. Only the call that wrote a payment removes it, and
 * `insert` overwrites neither a record nor the tombstone of a forgotten payment.
 *
 * @returns The record in the journal afterwards.
 */
export async function restore(
  store: JournalStore,
  record: JournalRecord,
): Promise<StoredJournalRecord | undefined> {
  const { inserted, stored } = await store.insert(record, 0);
  if (inserted) logLoss(record);
  return stored;
}

function logLoss({ operation, reference, state }: JournalRecord): void {
  new SafeLogger('PaymentsJournal').error(
    `The journal lost ${operation} for the reference ${quoted(reference)} while its call was running, and it was ` +
      `written again as ${state}. After a fail-over or a restored back-up other payments may be lost, too: ` +
      'compare the journal with the gateway.',
  );
}
