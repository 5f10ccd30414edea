import { type JournalRecord } from '../common/journal-port.js';
import { moneyFromWire } from '../common/money.js';
import { FINAL_STATUSES, type PaymentOutcome } from '../common/statuses.js';
import { type ReadCall } from '../transport/gateway-call.js';
import { asRecord, type WireRecord } from '../transport/read-record.js';

/** The call that asks for the status of one payment, at the path that the options name. */
export function statusCall(path: string, { family, reference }: JournalRecord): ReadCall<WireRecord> {
  const named = path.split('{reference}').join(encodeURIComponent(reference));
  const { pathname, search } = new URL(`http://gateway${named}`);
  return {
    kind: 'read',
    operation: `${family}.status`,
    method: 'GET',
    path: pathname + search,
    read: (data) => {
      const value = asRecord(data);
      return value && { value, warnings: [] };
    },
  };
}

/** What a status answer says about a payment. */
export type StatusVerdict =
  | { readonly says: 'ended'; readonly outcome: PaymentOutcome }
  /** The gateway has it. */
  | { readonly says: 'under-way' }
  | { readonly says: 'nothing' };

const UNDER_WAY: readonly unknown[] = ['pending', 'processing'];

/**
 * Reads a status answer. It proves something only about this very payment: another reference or amount proves nothing,
 * and neither does a status that the specification does not list.
 */
export function readStatus(
  { family, reference, amount }: Pick<JournalRecord, 'family' | 'reference' | 'amount'>,
  answer: WireRecord,
): StatusVerdict {
  const echoes = [
    [answer['reference'], (echo: unknown) => typeof echo === 'string' && echo.trim() === reference.trim()],
    [answer['amount'], (echo: unknown) => moneyFromWire(echo) === amount],
  ] as const;
  const differs = echoes.some(([echo, fits]) => echo !== undefined && echo !== null && !fits(echo));
  if (differs) return { says: 'nothing' };
  const outcomes: readonly PaymentOutcome[] = FINAL_STATUSES[family];
  const outcome = outcomes.find((final) => final === answer['status']);
  if (outcome) return { says: 'ended', outcome };
  return { says: UNDER_WAY.includes(answer['status']) ? 'under-way' : 'nothing' };
}
