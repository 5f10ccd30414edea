import { type JournalRecord } from '../../storage/journal-store.js';
import { isBeyondExact } from '../../gateway/answer/check-echo.js';
import { transactionName } from './compare-webhook.js';
import { idempotencyKeyFor } from '../payment/payment-identity.js';
import { gatewayRecord } from '../payment/payment-result.js';

/** What names an attempt; the key stands in a field that the specification does not know. */
interface AttemptNames {
  readonly idempotency_key?: unknown;
  readonly provider_reference?: unknown;
}

/**
 * Whether a message of the gateway about a reference can only be about this attempt: there was no other one,
 * or the message names this attempt's key or transaction. An earlier attempt may have had the same key if the
 * caller gave it, and had it if the key was kept after a refusal without a listed code. Answers that only turned the
 * attempt away are no other attempt: the gateway knows one payment under one key.
 *
 * @param said A status answer, or the `data` of a webhook.
 * @param askedIntent The intent of the call that a status query was about.
 */
export function isOfThisAttempt(
  record: JournalRecord,
  said: AttemptNames,
  askedIntent = record.intent,
): boolean {
  return namesItsKey(record, said, askedIntent) || namesItsTransaction(record, said);
}

function namesItsKey(record: JournalRecord, said: AttemptNames, askedIntent: string): boolean {
  if (record.keepsKey && !record.turnedAway) return false;
  const key = said.idempotency_key ?? undefined;
  if (key === undefined) return record.attempt === 1 && record.intent === askedIntent;
  return key === record.idempotencyKey && (record.attempt === 1 || key === idempotencyKeyFor(record));
}

function namesItsTransaction(record: JournalRecord, said: AttemptNames): boolean {
  // Two long numbers may have been rounded to the same one.
  if (isBeyondExact(said.provider_reference)) return false;
  const named = transactionName(said.provider_reference);
  return named !== undefined && named === transactionName(gatewayRecord(record)?.['provider_reference']);
}
