import { type JournalRecord } from '../../storage/journal-store.js';
import { transactionName } from './webhook-fit.js';
import { idempotencyKeyFor } from '../payment/payment-identity.js';
import { storedRecord } from '../payment/journal-transitions.js';
import { type WireRecord } from '../../gateway/answer/wire-record.js';

/**
 * Whether what the gateway says of a reference can be about no other attempt than this one: there was none,
 * or it names this one's key or transaction. A key of the caller's own may have been given to an earlier
 * attempt too, and a kept key was.
 *
 * @param said A status answer, or the `data` of a webhook.
 * @param askedIntent The intent of the call that a status answer was asked about.
 */
export function isOfThisAttempt(
  record: JournalRecord,
  said: WireRecord,
  askedIntent = record.intent,
): boolean {
  return namesItsKey(record, said, askedIntent) || namesItsTransaction(record, said);
}

function namesItsKey(record: JournalRecord, said: WireRecord, askedIntent: string): boolean {
  if (record.keepsKey) return false;
  const key = said['idempotency_key'] ?? undefined;
  if (key === undefined) return record.attempt === 1 && record.intent === askedIntent;
  return key === record.idempotencyKey && (record.attempt === 1 || key === idempotencyKeyFor(record));
}

function namesItsTransaction(record: JournalRecord, said: WireRecord): boolean {
  const named = transactionName(said['provider_reference']);
  return named !== undefined && named === transactionName(storedRecord(record)?.['provider_reference']);
}
