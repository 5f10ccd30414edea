import { type InboxScope } from '../../common/vocabulary.js';
import { type JournalEntry } from '../../common/journal-entry.js';
import { PaymentsError } from '../../errors/payments-errors.js';
import { type BatchRecord, type BatchStore, type LineState } from '../../storage/batch-store.js';
import { resultOf } from '../batch/line-result.js';
import { paymentReference } from '../batch/payment-reference.js';
import { isOfAnother } from './journal-state.js';
import { lineInJournal } from './line-in-journal.js';
import { giveUpLine } from './line-mark.js';
import { REPLACES } from './line-outcome.js';
import { type PayingServices } from './pay-line.js';

/** What may be settled: as paid whatever was thought of it, as failed what may have been sent or would be sent later. */
const SETTLED_FROM: Readonly<Record<'paid' | 'failed', readonly LineState[]>> = {
  paid: REPLACES.paid,
  failed: ['waiting', 'checked', 'blocked', 'sending', 'accepted', 'unknown', 'paid'],
};

/**
 * Writes the end of a line into the audit trail and the line. False if the batch is gone.
 *
 * @param result What is known of the line with its fee, if the answer of the gateway was read for it.
 */
export async function writeLineEnd(
  store: BatchStore,
  record: BatchRecord,
  key: string,
  end: { readonly outcome: 'paid' | 'failed'; readonly by: string },
  result?: string,
): Promise<boolean> {
  const details = JSON.stringify({ key, outcome: end.outcome });
  if (!(await store.append(record, { action: 'settle', by: end.by, details }))) return false;
  const line = await store.line(record.load, key);
  if (!line) return false;
  // More about its earlier state would contradict this one.
  const { detail: _detail, ...rest } = resultOf(line.result);
  const change = { number: line.number, from: SETTLED_FROM[end.outcome], to: end.outcome };
  await store.change(record.load, [{ ...change, result: result ?? JSON.stringify(rest) }]);
  return true;
}

/**
 * Settles the line whose payment this is, if it is one of a batch. The journal holds its end already.
 *
 * @param entry The payment, as the journal holds it.
 */
export async function settleLineOf(
  store: BatchStore,
  services: PayingServices,
  scope: InboxScope,
  entry: JournalEntry,
  end: { readonly outcome: 'paid' | 'failed'; readonly by: string },
): Promise<void> {
  const { reference } = entry;
  // As `paymentReference` writes it: neither part holds a point.
  const [batch = '', key = ''] = reference.split('.');
  // A payment that the application makes by itself may begin with the reference of a line.
  if (reference !== paymentReference(batch, key)) return;
  const stored = await store.get({ ...scope, batch });
  const line = stored && (await store.line(stored.record.load, key));
  // It may be settled again, for example after a crash: its audit trail has that already.
  if (!stored || !line || !SETTLED_FROM[end.outcome].includes(line.state)) return;
  if (isOfAnother(entry, line)) return;
  // A run that read an earlier refusal may stand still, and make the next attempt later.
  if (end.outcome === 'failed') await giveUpLine(services.journal, batch, line);
  // The call that was accepted has compared it with the line.
  if (end.outcome === 'failed' || line.state === 'accepted') {
    await writeLineEnd(store, stored.record, key, end);
    return;
  }
  const made = await lineInJournal(services, batch, line, entry);
  if (!made) throw notCompared(batch, key);
  if (made.to === 'paid') await writeLineEnd(store, stored.record, key, end, made.result);
}

/** Its exception stays open, so that a later call finds the line again. */
function notCompared(batch: string, key: string): PaymentsError {
  return new PaymentsError(
    'LINE_NOT_COMPARED',
    `The line "${key}" of the batch "${batch}" is not written: its payment could not be compared with it now. Call apply() again.`,
  );
}
