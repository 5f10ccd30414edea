import { type JournalRecord } from '../../common/journal-port.js';
import { type MoneyCall } from '../gateway-call.js';
import { MONEY_PATHS } from '../money-paths.js';
import { asRecord, type WireRecord } from '../read-record.js';

/** The call of a payment that was written down, for sending it without the request that it was made from. */
export function recordedCall(record: JournalRecord): MoneyCall<WireRecord> {
  const { family, operation, reference, amount, currency, body = '{}' } = record;
  return {
    kind: family,
    operation,
    method: 'POST',
    path: MONEY_PATHS[operation],
    payment: { reference, amount, currency },
    body: JSON.parse(body) as WireRecord,
    read: (data) => {
      const value = asRecord(data);
      return value && { value, warnings: [] };
    },
  };
}
