import { jsonObject } from '../../common/json-object.js';
import { normalizeTzPhone } from '../../common/phone.js';
import { gatewayRecord } from '../../journal/payment/payment-result.js';
import { type JournalRecord } from '../../storage/journal-store.js';

/** In answers and requests (specification, "Resources and their fields", "Endpoints"). */
const FIELDS = ['customer_phone', 'phone', 'recipient_phone', 'account_number'] as const;

/** Phone or account number of the other side of a payment; undefined if the journal does not hold it any more. */
export function recipientOf(record: JournalRecord): string | undefined {
  const known = { ...jsonObject(record.body ?? ''), ...gatewayRecord(record) };
  const value = FIELDS.map((field) => known[field]).find((field) => typeof field === 'string');
  return typeof value === 'string' ? comparable(value) : undefined;
}

/** The same for every way to write a number. */
export function comparable(number: string): string {
  return normalizeTzPhone(number) ?? number.replaceAll(/[^\p{L}\p{N}]/gu, '').toUpperCase();
}
