import { MONEY_OPERATIONS } from '../../common/operations.js';
import { asRecord, type WireRecord } from '../../gateway/answer/wire-record.js';
import { type MoneyCall } from '../../gateway/gateway-call.js';
import { type JournalRecord } from '../../storage/journal-store.js';

/** The call of a recorded payment. */
export function recordedCall(record: JournalRecord): MoneyCall<WireRecord> {
  const { family, operation, reference, amount, currency, body = '{}' } = record;
  return {
    kind: family,
    operation,
    method: 'POST',
    path: MONEY_OPERATIONS[operation].path,
    payment: { reference, amount, currency },
    body: JSON.parse(body) as WireRecord,
    read: (data) => {
      const value = asRecord(data);
      return value && { value, warnings: [] };
    },
  };
}
