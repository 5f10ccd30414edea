import { type JournalRecord } from '../../storage/journal-store.js';
import { moneyFromWire } from '../../common/money.js';
import { movesMoney, type PaymentOutcome } from '../../common/vocabulary.js';
import { type ReadCall } from '../../gateway/gateway-call.js';
import {
  toAccepted,
  toAcknowledged,
  toAcknowledgedWithoutMoney,
  toSettled,
} from '../payment/journal-transitions.js';
import { asRecord, finalStatus, type WireRecord } from '../../gateway/answer/wire-record.js';
import { isOfThisAttempt } from './attempt-match.js';

/** The status query for one payment, at the path of the `statusPaths` option. */
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

export type StatusVerdict =
  | { readonly says: 'ended'; readonly outcome: PaymentOutcome }
  /** The gateway has it. */
  | { readonly says: 'under-way' }
  /** The gateway has an earlier attempt, or this one in a status that the specification does not list. */
  | { readonly says: 'known' }
  | { readonly says: 'nothing' };

const UNDER_WAY: readonly unknown[] = ['pending', 'processing'];

/**
 * Reads a status answer:
 *
 * - An answer that does not name the reference ends nothing.
 * - A final status without money counts only with the amount. A gateway without the payment may repeat the
 *   reference of the path and say "failed", but cannot know the amount.
 * - A success settles the payment, whichever attempt came through.
 * - Every other status counts only if it can be about no earlier attempt, which the gateway may have refused.
 *
 * @param askedIntent The intent of the call that the query was about.
 */
export function readStatus(
  record: JournalRecord,
  answer: WireRecord,
  askedIntent = record.intent,
): StatusVerdict {
  const { status } = answer;
  const reference = compare(answer['reference'], (echo) => isSameText(echo, record.reference));
  const amount = compareMoney(record, answer);
  if (reference === 'other') return NOTHING;
  if (amount === 'other') return reference === 'same' ? KNOWN : NOTHING;
  const outcome = finalStatus(record.family, status);
  if (outcome === undefined && !UNDER_WAY.includes(status)) {
    return reference === 'same' && amount === 'same' ? KNOWN : NOTHING;
  }
  // A look-up that found nothing may say "failed", too. An answer that shows a payment only stops further
  // tries, so it counts without the reference.
  if (reference === 'absent') return outcome && !movesMoney(outcome) ? NOTHING : KNOWN;
  if (outcome && movesMoney(outcome)) return { says: 'ended', outcome };
  if (outcome && amount === 'absent') return KNOWN;
  if (!isOfThisAttempt(record, answer, askedIntent)) return KNOWN;
  return outcome ? { says: 'ended', outcome } : { says: 'under-way' };
}

/** The record after a status answer; undefined if it stays. `record` was read after the answer came. */
export function afterStatus(
  record: JournalRecord,
  answer: WireRecord,
  askedIntent: string,
): JournalRecord | undefined {
  const verdict = readStatus(record, answer, askedIntent);
  if (verdict.says === 'nothing') return undefined;
  const { state } = record;
  const paysAfterRefusal = state === 'rejected' && verdict.says === 'ended' && movesMoney(verdict.outcome);
  if (state === 'settled' || (state === 'rejected' && !paysAfterRefusal)) {
    return saysNoMoneyMoved(record, answer) ? toAcknowledgedWithoutMoney(record) : toAcknowledged(record);
  }
  if (verdict.says === 'ended') return toSettled(record, verdict.outcome, 'status');
  return verdict.says === 'under-way' && record.state !== 'accepted'
    ? toAccepted(record)
    : toAcknowledged(record);
}

const KNOWN: StatusVerdict = { says: 'known' };
const NOTHING: StatusVerdict = { says: 'nothing' };

function saysNoMoneyMoved({ family }: JournalRecord, { status }: WireRecord): boolean {
  const outcome = finalStatus(family, status);
  return outcome !== undefined && !movesMoney(outcome);
}

type Echo = 'same' | 'other' | 'absent';

function compare(echo: unknown, isSame: (echo: unknown) => boolean): Echo {
  if (echo == null) return 'absent';
  return isSame(echo) ? 'same' : 'other';
}

function compareMoney({ amount, currency }: JournalRecord, answer: WireRecord): Echo {
  const isOther = compare(answer['currency'], (echo) => isSameText(echo, currency)) === 'other';
  return isOther ? 'other' : compare(answer['amount'], (echo) => moneyFromWire(echo) === amount);
}

function isSameText(echo: unknown, sent: string): boolean {
  return typeof echo === 'string' && echo.trim() === sent.trim();
}
