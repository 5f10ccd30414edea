import { type JournalRecord, type StoredJournalRecord } from '../../storage/journal-store.js';
import { type OutcomeEvidence } from '../../common/vocabulary.js';
import { isAcknowledged } from './journal-transitions.js';
import { isJsonObject } from '../../common/json-object.js';
import { type ResolvedPaymentsOptions } from '../../config/resolved-options.js';
import { isMoneyOperation } from '../../gateway/gateway-call.js';

/** What a caller asks for. */
export interface RequestedPayment {
  readonly bodyHash: string;
  /** The caller's own key, where it gave one. */
  readonly idempotencyKey?: string | undefined;
  /** The caller's own count, where it gave one. */
  readonly attempt?: number | undefined;
}

/**
 * Why a reference cannot be used.
 *
 * - `another-payment`: it stands for another body or operation.
 * - `another-key`: its payment was accepted under another key.
 * - `ended`: its payment failed, was cancelled or expired.
 * - `unlisted-refusal`: it was refused without a listed code, or turned away, so only the same payment with
 *   the same key may follow.
 */
export type ReuseReason = 'another-payment' | 'another-key' | 'ended' | 'unlisted-refusal';

/** What a call gives, by what stands under its reference. */
export type RepeatedCall =
  /** Write the payment down and send it. */
  | {
      readonly act: 'begin';
      readonly attempt: number;
      /** The key that the attempt has already. */
      readonly idempotencyKey?: string;
    }
  /** Send what was written down once more, with its key. */
  | { readonly act: 'probe' }
  /** Hand out the stored record. */
  | { readonly act: 'repeat-answer' }
  | { readonly act: 'unknown'; readonly evidence: OutcomeEvidence }
  | { readonly act: 'refuse'; readonly because: ReuseReason }
  /** The caller's `attempt` was refused before. */
  | { readonly act: 'refuse-attempt'; readonly next: number };

/** A call that sends nothing. */
export type Refusal = Exclude<RepeatedCall, { readonly act: 'begin' | 'probe' }>;

/**
 * What becomes of a call whose reference the journal knows, as one pure function. Only `begin` and `probe`
 * send anything. A call that is under way in this process is joined before (`payments.ts`), and a forgotten
 * payment is refused (`payment-intent.ts`).
 */
export function decideRepeatedCall(
  existing: StoredJournalRecord | undefined,
  asked: RequestedPayment,
  rules: ProbeRules,
): RepeatedCall {
  if (!existing) return { act: 'begin', attempt: asked.attempt ?? 1 };
  const { record } = existing;
  if (existing.damaged !== undefined) return { act: 'unknown', evidence: 'interrupted' };
  if (mayBeTriedAgain(record)) {
    // An operator's word does not stop a call that is still running, and may yet send.
    if (existing.leaseLeftMs > 0) return { act: 'unknown', evidence: 'in-flight' };
    return record.keepsKey ? sameAttempt(record, asked) : nextAttempt(record, asked);
  }
  if (hasEnded(record)) return { act: 'refuse', because: 'ended' };
  if (record.bodyHash !== asked.bodyHash) return { act: 'refuse', because: 'another-payment' };
  const anotherKey = usesAnotherKey(record, asked);
  if (record.state === 'accepted' || record.state === 'settled') {
    return anotherKey ? { act: 'refuse', because: 'another-key' } : { act: 'repeat-answer' };
  }
  if (!anotherKey && isProbeDue(existing, rules)) return { act: 'probe' };
  return { act: 'unknown', evidence: evidenceOf(existing) };
}

/** Whether the caller insists on another key than the payment has. */
export function usesAnotherKey(
  record: Pick<JournalRecord, 'idempotencyKey' | 'attempt'>,
  asked: RequestedPayment,
): boolean {
  const { idempotencyKey = record.idempotencyKey, attempt = record.attempt } = asked;
  return idempotencyKey !== record.idempotencyKey || attempt > record.attempt;
}

/** Whether who joins insists on another key than the call under way was asked for. */
export function asksForAnotherKey(asked: RequestedPayment, underWay: RequestedPayment): boolean {
  const { idempotencyKey, attempt } = asked;
  if (idempotencyKey !== undefined && idempotencyKey !== underWay.idempotencyKey) return true;
  return attempt !== undefined && attempt > (underWay.attempt ?? 1);
}

/** Why it is not known what came of a payment that is in flight or unknown. */
export function evidenceOf({ record, leaseLeftMs }: StoredJournalRecord): OutcomeEvidence {
  if (record.state === 'in-flight') return leaseLeftMs > 0 ? 'in-flight' : 'interrupted';
  return record.evidence ?? 'interrupted';
}

/** The gateway refused, or an operator says that it never took what it never acknowledged. */
function mayBeTriedAgain(record: JournalRecord): boolean {
  const { state, outcome, settledBy } = record;
  if (state === 'rejected') return true;
  return state === 'settled' && outcome === 'failed' && settledBy === 'operator' && !isAcknowledged(record);
}

function nextAttempt(record: JournalRecord, { attempt }: RequestedPayment): RepeatedCall {
  const next = record.attempt + 1;
  if (attempt !== undefined && attempt < next) return { act: 'refuse-attempt', next };
  return { act: 'begin', attempt: attempt ?? next };
}

/** Without a listed code the refusal may hide that money moved: another key or another body might move it twice. */
function sameAttempt(record: JournalRecord, asked: RequestedPayment): RepeatedCall {
  if (record.bodyHash !== asked.bodyHash || usesAnotherKey(record, asked)) {
    return { act: 'refuse', because: 'unlisted-refusal' };
  }
  const { attempt, idempotencyKey } = record;
  return { act: 'begin', attempt, idempotencyKey };
}

function hasEnded({ state, outcome }: JournalRecord): boolean {
  return state === 'settled' && outcome !== 'success' && outcome !== 'paid';
}

/** When a payment that may have been made may be tried once more. */
export type ProbeRules = Pick<ResolvedPaymentsOptions, 'probe' | 'recoveryWindowMs'>;

/**
 * Whether the one further try of a payment is still open, is allowed, and has waited long enough. Nothing is
 * sent that this version cannot read, or that a newer one wrote; nor what the gateway said that it has:
 * another request could only make it twice.
 */
export function isProbeDue(
  { record, ageMs, idleMs, leaseLeftMs }: StoredJournalRecord,
  rules: ProbeRules,
): boolean {
  const waits = rules.probe[record.family];
  if (!waits || !record.probe || record.body === undefined || leaseLeftMs > 0) return false;
  if (isAcknowledged(record)) return false;
  const waitMs = record.probe === 'after-answer' ? waits.afterAnswerMs : waits.afterSilenceMs;
  if (idleMs < waitMs || ageMs > rules.recoveryWindowMs) return false;
  const isOpen = record.state === 'in-flight' || record.state === 'unknown';
  return isOpen && isMoneyOperation(record.operation) && isJsonObject(record.body);
}
