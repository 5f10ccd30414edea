import { type JournalEntry } from '../../common/journal-entry.js';
import { type MoneyOperation } from '../../common/operations.js';
import { type PaymentsJournal } from '../../journal/payments-journal.js';
import { MAY_BE_MADE } from '../../journal/recovery/journal-answers.js';
import { type BatchLine, type LineState } from '../../storage/batch-store.js';
import { paymentReference } from '../batch/payment-reference.js';
import { resultOf } from '../batch/line-result.js';
import { lineFrom, type Recipient } from '../lines/payout-line.js';

/** What the journal needs to say what became of a line. */
export type LineJournal = Pick<PaymentsJournal, 'get' | 'tombstone'>;

/** How the payment of a line is made. */
export const OPERATIONS = {
  bank: 'disbursement.bank',
  mobile: 'disbursement.mobile-money',
} as const satisfies Readonly<Record<Recipient['kind'], MoneyOperation>>;

/**
 * Whether an entry is certainly not of the payment of a line: a payment beside the batch may have its reference, or a batch
 * that was forgotten had its name. Only a call of the line also compares the recipient, and the line remembers that.
 */
export function isOfAnother(
  { amount, operation, damaged }: Pick<JournalEntry, 'amount' | 'operation' | 'damaged'>,
  { content, result }: Pick<BatchLine, 'content' | 'result'>,
): boolean {
  if (resultOf(result).isOfAnother) return true;
  const line = lineFrom(content);
  return damaged === undefined && (amount !== line.amount || operation !== OPERATIONS[line.recipient.kind]);
}

/** The state of a line whose reference the journal holds. A line was never paid by the payment of another one. */
export function stateIn(
  entry: JournalEntry,
  line: Pick<BatchLine, 'content' | 'result'>,
): Extract<LineState, 'accepted' | 'paid' | 'failed' | 'refused' | 'unknown'> {
  const { state, outcome, final, damaged } = entry;
  if (state === 'settled' && outcome !== 'paid') return 'failed';
  if (state === 'rejected' && final !== false) return 'refused';
  const isMade = state === 'accepted' || state === 'settled';
  if (!isMade || damaged !== undefined || isOfAnother(entry, line)) return 'unknown';
  return state === 'accepted' ? 'accepted' : 'paid';
}

/** The state of a line by what the journal says; undefined if it never heard of it. */
export async function journalState(
  journal: LineJournal,
  batch: string,
  line: Pick<BatchLine, 'key' | 'content' | 'result'>,
): Promise<ReturnType<typeof stateIn> | undefined> {
  const reference = paymentReference(batch, line.key);
  const entry = await journal.get('disbursement', reference);
  if (entry) return stateIn(entry, line);
  return (await isUnheardOf(journal, reference)) ? undefined : 'unknown';
}

/** Whether a state says that the money of a line may have moved. */
export function mayHaveMoved(
  state: LineState | undefined,
): state is Extract<LineState, 'accepted' | 'paid' | 'unknown'> {
  return state === 'accepted' || state === 'paid' || state === 'unknown';
}

/** Whether the gateway turned a payment away in a way that proves nothing: the journal sends it again with the same key. */
export async function isTurnedAway(journal: LineJournal, reference: string): Promise<boolean> {
  const entry = await journal.get('disbursement', reference);
  return entry?.state === 'rejected' && entry.final === false;
}

/**
 * Whether the journal never had a payment, and has not only forgotten it.
 *
 * @throws PaymentsStorageError or PaymentsAccountError if the journal cannot be asked.
 */
export async function isUnheardOf(journal: LineJournal, reference: string): Promise<boolean> {
  // It may have been written a moment ago.
  if (await journal.get('disbursement', reference)) return false;
  return (await journal.tombstone('disbursement', reference)) === undefined;
}

/** Whether the journal has forgotten a payment, and remembers that it ended like this: as paid, or without moving money. */
export async function isForgottenAs(
  journal: LineJournal,
  reference: string,
  outcome: 'paid' | 'failed',
): Promise<boolean> {
  const tombstone = await journal.tombstone('disbursement', reference);
  if (!tombstone) return false;
  return outcome === 'paid' ? tombstone.end === 'paid' : !MAY_BE_MADE.has(tombstone.end);
}
