import { type JournalRecord, type StoredJournalRecord } from '../../storage/journal-store.js';
import { unreadable } from '../../storage/sealed/sealed-journal.js';
import { movesMoney, type OutcomeEvidence } from '../../common/vocabulary.js';
import { isAcknowledged } from './journal-transitions.js';
import { isJsonObject } from '../../common/json-object.js';
import { type ResolvedPaymentsOptions } from '../../config/resolved-options.js';
import { LARGEST_ATTEMPT } from '../../gateway/call-options.js';
import { isMoneyOperation } from '../../common/operations.js';

/** The payment for which a caller asks. */
export interface RequestedPayment {
  readonly bodyHash: string;
  /** The caller's own key. */
  readonly idempotencyKey?: string | undefined;
  /** The caller's own count. */
  readonly attempt?: number | undefined;
  /** The caller has enlisted the payment and asks to send it: no other attempt may begin. */
  readonly enlisted?: true;
}

/**
 * Why a reference cannot be used.
 *
 * - `another-payment`: its payment has another body or operation.
 * - `another-key`: its payment was accepted, or is planned, under another key.
 * - `ended`: its payment failed, was cancelled or expired; or it was refused, and its person erased.
 * - `unlisted-refusal`: its payment was refused without a listed code, or turned away, so only the same
 *   payment with the same key may follow.
 * - `erased`: its payment was made, and nobody can compare it any more, because its person was erased.
 */
export type ReuseReason = 'another-payment' | 'another-key' | 'ended' | 'unlisted-refusal' | 'erased';

/** What a call does if the journal holds a payment under its reference. */
type RepeatedCall =
  /** Write the payment down and send it. */
  | {
      readonly act: 'begin';
      readonly attempt: number;
      /** The key of the attempt, if it was made before. */
      readonly idempotencyKey?: string;
    }
  /** Send the planned request, with its key. */
  | { readonly act: 'send-planned' }
  /** Send the recorded request once more, with its key. */
  | { readonly act: 'probe' }
  /** Return the stored answer. */
  | { readonly act: 'repeat-answer' }
  | {
      readonly act: 'unknown';
      readonly evidence: OutcomeEvidence;
      /** Why the record cannot be read. */
      readonly damaged?: string | undefined;
    }
  | { readonly act: 'refuse'; readonly because: ReuseReason }
  /** The gateway refused the payment that the caller enlisted. */
  | { readonly act: 'refused' }
  /** The caller's `attempt` has ended. */
  | { readonly act: 'refuse-attempt'; readonly next: number }
  /** The caller's key is that of an attempt that has ended. */
  | { readonly act: 'refuse-key' };

type UnprobedCall = Exclude<RepeatedCall, { readonly act: 'probe' }>;

/** A call that sends nothing. */
export type Refusal = Exclude<UnprobedCall, { readonly act: 'begin' | 'send-planned' }>;

/**
 * Decides about a call by the existing record of its reference. Only `begin`, `send-planned` and `probe` send anything.
 * `payment-calls.ts` joins a running call of this process before, and refuses the reference of a forgotten
 * payment.
 */
export function decideRepeatedCall(
  existing: StoredJournalRecord,
  asked: RequestedPayment,
  rules: ProbeRules,
): RepeatedCall {
  const decision = decideWithoutProbe(existing, asked);
  const isReadable = decision.act === 'unknown' && decision.damaged === undefined;
  const mayProbe = isReadable && !usesAnotherKey(existing.record, asked) && isProbeDue(existing, rules);
  return mayProbe ? { act: 'probe' } : decision;
}

/** Decides as `decideRepeatedCall` does if no payment may be probed. */
export function decideWithoutProbe(existing: StoredJournalRecord, asked: RequestedPayment): UnprobedCall {
  const { record } = existing;
  const damaged = unreadable(existing);
  if (damaged !== undefined) return { act: 'unknown', evidence: 'interrupted', damaged };
  if (mayBeTriedAgain(record)) {
    // Nobody can tell any more for whom the next attempt would be.
    if (record.erased) return { act: 'refuse', because: 'ended' };
    // An operator does not stop a running call, which may still send.
    if (existing.leaseLeftMs > 0) return { act: 'unknown', evidence: 'in-flight' };
    if (asked.enlisted)
      return record.state === 'rejected' ? { act: 'refused' } : { act: 'refuse', because: 'ended' };
    const isSameAttempt = record.state === 'rejected' && record.keepsKey;
    return isSameAttempt ? sameAttempt(record, asked) : nextAttempt(record, asked);
  }
  const because = notTheSame(record, asked);
  if (because !== undefined) return { act: 'refuse', because };
  const anotherKey = usesAnotherKey(record, asked);
  if (record.state === 'planned') return plannedCall(existing, anotherKey);
  if (record.state === 'accepted' || record.state === 'settled') {
    return anotherKey ? { act: 'refuse', because: 'another-key' } : { act: 'repeat-answer' };
  }
  return { act: 'unknown', evidence: evidenceOf(existing) };
}

/** Whether a call may send something, by what the journal holds now. */
export function maySend(
  existing: StoredJournalRecord | undefined,
  asked: RequestedPayment,
  rules: ProbeRules,
): boolean {
  if (!existing) return asked.enlisted !== true;
  const { act } = decideRepeatedCall(existing, asked, rules);
  return act === 'begin' || act === 'send-planned' || act === 'probe';
}

/** Why the call cannot ask for the recorded payment; undefined if it does. */
function notTheSame(record: JournalRecord, { bodyHash }: RequestedPayment): ReuseReason | undefined {
  if (hasEnded(record)) return 'ended';
  if (record.erased) return 'erased';
  return record.bodyHash === bodyHash ? undefined : 'another-payment';
}

function plannedCall(existing: StoredJournalRecord, anotherKey: boolean): UnprobedCall {
  if (anotherKey) return { act: 'refuse', because: 'another-key' };
  return isSendable(existing) ? { act: 'send-planned' } : { act: 'unknown', evidence: 'interrupted' };
}

/** Whether this version can send a planned payment. */
export function isSendable(existing: StoredJournalRecord): boolean {
  const { record, leaseLeftMs } = existing;
  const { state, operation, body } = record;
  if (unreadable(existing) !== undefined || state !== 'planned' || leaseLeftMs > 0 || isAcknowledged(record))
    return false;
  return body !== undefined && isMoneyOperation(operation) && isJsonObject(body);
}

/** Whether the caller asks for another key than that of the payment. */
export function usesAnotherKey(
  record: Pick<JournalRecord, 'idempotencyKey' | 'attempt'>,
  asked: RequestedPayment,
): boolean {
  const { idempotencyKey = record.idempotencyKey, attempt = record.attempt } = asked;
  return idempotencyKey !== record.idempotencyKey || attempt > record.attempt;
}

/** Whether a call asks for another key than the running call that it would join. */
export function asksForAnotherKey(asked: RequestedPayment, underWay: RequestedPayment): boolean {
  const { idempotencyKey, attempt } = asked;
  if (idempotencyKey !== undefined && idempotencyKey !== underWay.idempotencyKey) return true;
  return attempt !== undefined && attempt > (underWay.attempt ?? 1);
}

/** The evidence for a payment that is in flight or unknown. */
export function evidenceOf({ record, leaseLeftMs }: StoredJournalRecord): OutcomeEvidence {
  if (record.state === 'in-flight') return leaseLeftMs > 0 ? 'in-flight' : 'interrupted';
  return record.evidence ?? 'interrupted';
}

/** The gateway refused, or an operator says `failed` and the gateway never acknowledged the payment. */
export function mayBeTriedAgain(record: JournalRecord): boolean {
  const { state, outcome, settledBy } = record;
  if (state === 'rejected') return true;
  return state === 'settled' && outcome === 'failed' && settledBy === 'operator' && !isAcknowledged(record);
}

/** What the clocks of the gateway and of the storage may differ by, and what a time may be cut by. */
const FAILED_BEFORE_MS = 60_000;
/** Within this time of a later send, a failure may still be that of the send before. */
const FAILED_AFTER_MS = 300_000;

/** Which send of a payment the clocks let a failure be of. */
type FailedSend = 'last' | 'earlier' | 'unsure';

/**
 * Which send of a payment failed at a time, as another clock says. It is sent once more by another attempt, or by the same one if
 * that was turned away; an enlisted payment counts as sent once more, too. A failure from before the payment is nobody's.
 */
export function failedSend(
  {
    attempt,
    createdAt,
    begunAt,
  }: { readonly attempt: number; readonly createdAt: number; readonly begunAt: number },
  at: number,
): FailedSend {
  const isSentAgain = attempt > 1 || begunAt > createdAt;
  const isBefore = at < begunAt - FAILED_BEFORE_MS;
  if (!isSentAgain) return isBefore ? 'unsure' : 'last';
  if (isBefore) return 'earlier';
  return at < begunAt + FAILED_AFTER_MS ? 'unsure' : 'last';
}

/** Whether a refusal is certain. Otherwise the same call follows with the same key, and may be accepted. */
export function isRefusedForGood(existing: StoredJournalRecord): boolean {
  const { state, keepsKey } = existing.record;
  return state === 'rejected' && unreadable(existing) === undefined && !keepsKey;
}

/** A gateway that has processed a key takes another request with it for the same payment, made again. */
function nextAttempt(record: JournalRecord, { attempt, idempotencyKey }: RequestedPayment): UnprobedCall {
  const next = record.attempt + 1;
  if (next > LARGEST_ATTEMPT) return { act: 'refuse', because: 'ended' };
  if (attempt !== undefined && attempt < next) return { act: 'refuse-attempt', next };
  if (idempotencyKey === record.idempotencyKey) return { act: 'refuse-key' };
  return { act: 'begin', attempt: attempt ?? next };
}

/** Money may have moved despite an unlisted refusal. Another key or body might move it twice. */
function sameAttempt(record: JournalRecord, asked: RequestedPayment): UnprobedCall {
  if (record.bodyHash !== asked.bodyHash || usesAnotherKey(record, asked)) {
    return { act: 'refuse', because: 'unlisted-refusal' };
  }
  const { attempt, idempotencyKey } = record;
  return { act: 'begin', attempt, idempotencyKey };
}

function hasEnded({ state, outcome }: JournalRecord): boolean {
  return state === 'settled' && !movesMoney(outcome);
}

/** The options that decide about a probe. */
export type ProbeRules = Pick<ResolvedPaymentsOptions, 'baseUrl' | 'probe' | 'recoveryWindowMs'>;

/**
 * Whether a probe of the payment is open, allowed and due. A payment that this version cannot read, or that
 * the gateway acknowledged, is not probed: another request could only make it twice. Neither is one that was sent to
 * another address: the gateway there does not know its key.
 */
export function isProbeDue(existing: StoredJournalRecord, rules: ProbeRules): boolean {
  const { record, idleMs, leaseLeftMs } = existing;
  const waits = rules.probe[record.family];
  if (!waits || !record.probe || record.body === undefined || leaseLeftMs > 0) return false;
  if (isAcknowledged(record) || (record.baseUrl ?? rules.baseUrl) !== rules.baseUrl) return false;
  const waitMs = record.probe === 'after-answer' ? waits.afterAnswerMs : waits.afterSilenceMs;
  if (idleMs < waitMs || attemptAgeMs(existing) > rules.recoveryWindowMs) return false;
  const isOpen = record.state === 'in-flight' || record.state === 'unknown';
  return isOpen && isMoneyOperation(record.operation) && isJsonObject(record.body);
}

/**
 * How long ago the last attempt began, by the storage's clock or by that of the processes: the longer one. A clock that was
 * set back says too little, or less than nothing.
 */
export function attemptAgeMs({ record, ageMs }: StoredJournalRecord, now = Date.now()): number {
  return Math.max(0, ageMs, now - (record.begunAtByProcess ?? now));
}
