import { type ReadPayload } from '../gateway/gateway-call.js';
import { asRecord, withMoney } from '../gateway/answer/wire-record.js';
import { type WalletBalance } from './wallet-balance.js';

const MONEY_FIELDS = ['balance', 'available_balance', 'locked_balance'] as const;

/** Reads the `data` of an answer. Refuses an inexact balance, because it would decide about payouts. */
export function readBalance(data: unknown): ReadPayload<WalletBalance> | undefined {
  const wire = asRecord(data);
  if (!wire) return undefined;
  const { record, warnings } = withMoney(wire, MONEY_FIELDS);
  const complete = MONEY_FIELDS.every((field) => typeof record[field] === 'string');
  return complete && warnings.length === 0
    ? { value: record as unknown as WalletBalance, warnings }
    : undefined;
}
