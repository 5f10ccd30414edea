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
import { isRoundedFrom, isSameText } from '../../gateway/answer/check-echo.js';
import { asRecord, finalStatus, type WireRecord } from '../../gateway/answer/wire-record.js';
import { isOfThisAttempt } from './attempt-match.js';

/** A `.` or `..` between slashes, before the query. */
const DOTS_ALONE = /^[^?#]*\/\.{1,2}(?=[/?#]|$)/;

/**
 * The status query for one payment, at the path of the `statusPaths` option. Undefined if the path cannot name the
 * payment: `.` and `..` as a whole part of a path lead to another one, even as `%2E`.
 */
export function statusCall(
  path: string,
  { family, reference }: JournalRecord,
): ReadCall<WireRecord> | undefined {
  const named = path.split('{reference}').join(encodeURIComponent(reference));
  if (DOTS_ALONE.test(named)) return undefined;
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
  /** The gateway has a payment; the answer proves no more. */
  | { readonly says: 'known' }
  | { readonly says: 'nothing' };

/** What the status of an answer says about the money. */
type StatusKind = 'moved' | 'not-moved' | 'under-way' | 'unlisted';

/**
 * What an answer names of the payment. An absent currency equals the payment's.
 *
 * - `no-reference`: no reference, and no other amount.
 * - `another-payment`: another reference, or another amount alone.
 */
type Named = 'reference-and-amount' | 'reference' | 'no-reference' | 'another-amount' | 'another-payment';

/**
 * What an answer proves.
 *
 * - `counts`: what its status says.
 * - `counts-for-this-attempt`: what its status says, if it cannot be about an earlier attempt; else `known`.
 * - `known`: that the gateway has a payment.
 */
type Proof = 'counts' | 'counts-for-this-attempt' | 'known' | 'nothing';

/**
 * What an answer proves, by what it names and what its status says.
 *
 * - A success settles the payment, whichever attempt came through. Every other status counts only if it can be
 *   about no earlier attempt, which the gateway may have refused.
 * - A final status without money counts only with the amount. A gateway without the payment may repeat the
 *   reference of the path and say "failed", but cannot know the amount.
 * - An answer without the reference ends nothing. If it shows a payment, it only stops further tries. A
 *   lookup that found nothing may say "failed", too.
 */
const PROOFS: Readonly<Record<Named, Readonly<Record<StatusKind, Proof>>>> = {
  'reference-and-amount': {
    moved: 'counts',
    'not-moved': 'counts-for-this-attempt',
    'under-way': 'counts-for-this-attempt',
    unlisted: 'known',
  },
  reference: {
    moved: 'counts',
    'not-moved': 'known',
    'under-way': 'counts-for-this-attempt',
    unlisted: 'nothing',
  },
  'no-reference': { moved: 'known', 'not-moved': 'nothing', 'under-way': 'known', unlisted: 'nothing' },
  'another-amount': { moved: 'known', 'not-moved': 'known', 'under-way': 'known', unlisted: 'known' },
  'another-payment': {
    moved: 'nothing',
    'not-moved': 'nothing',
    'under-way': 'nothing',
    unlisted: 'nothing',
  },
};

/**
 * Reads a status answer.
 *
 * @param askedIntent The intent of the call that the query was about.
 */
export function readStatus(
  record: JournalRecord,
  answer: WireRecord,
  askedIntent = record.intent,
): StatusVerdict {
  const proof = PROOFS[namedBy(record, answer)][statusKind(record, answer)];
  if (proof === 'nothing') return { says: 'nothing' };
  const counts =
    proof === 'counts' ||
    (proof === 'counts-for-this-attempt' && isOfThisAttempt(record, answer, askedIntent));
  if (!counts) return { says: 'known' };
  const outcome = finalStatus(record.family, answer['status']);
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
  // The answer came for an earlier attempt, or for another call of the attempt, which ended unsent meanwhile.
  const isPlanned = state === 'planned' && verdict.says === 'known';
  if (state === 'settled' || isPlanned || (state === 'rejected' && !paysAfterRefusal)) {
    return statusKind(record, answer) === 'not-moved'
      ? toAcknowledgedWithoutMoney(record)
      : toAcknowledged(record);
  }
  if (verdict.says === 'ended') return toSettled(record, verdict.outcome, 'status');
  return verdict.says === 'under-way' && record.state !== 'accepted'
    ? toAccepted(record)
    : toAcknowledged(record);
}

function statusKind({ family }: JournalRecord, { status }: WireRecord): StatusKind {
  const outcome = finalStatus(family, status);
  if (outcome) return movesMoney(outcome) ? 'moved' : 'not-moved';
  return status === 'pending' || status === 'processing' ? 'under-way' : 'unlisted';
}

function namedBy(record: JournalRecord, answer: WireRecord): Named {
  // A number that was rounded on its way may be that of another payment.
  const echoed = isRoundedFrom(answer['reference'], record.reference) ? undefined : answer['reference'];
  const reference = compare(echoed, (echo) => isSameText(echo, record.reference));
  const amount = compareMoney(record, answer);
  if (reference === 'other') return 'another-payment';
  if (reference === 'absent') return amount === 'other' ? 'another-payment' : 'no-reference';
  if (amount === 'other') return 'another-amount';
  return amount === 'same' ? 'reference-and-amount' : 'reference';
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
