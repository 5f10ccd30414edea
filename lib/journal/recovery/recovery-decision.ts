import { type JournalRecord, type StoredJournalRecord } from '../../storage/journal-store.js';
import { unreadable } from '../../storage/sealed/sealed-journal.js';
import { quoted } from '../../common/quoted.js';
import { type JournalState, type PaymentFamily } from '../../common/vocabulary.js';
import { type ResolvedPaymentsOptions } from '../../config/resolved-options.js';
import { isMoneyOperation } from '../../common/operations.js';
import { isJsonObject } from '../../common/json-object.js';
import { type StatusResolver } from '../outcomes/status-resolver.js';
import { toErased, toUnknown } from '../payment/journal-transitions.js';
import { CALL_MARGIN_MS } from '../payment/payment-intent.js';
import { isProbeDue, type ProbeRules, evidenceOf } from '../payment/repeated-call.js';

export type RecoveryRules = ProbeRules & Pick<ResolvedPaymentsOptions, 'deadlineMs' | 'staleAfterMs'>;

const SHORTEST_RUN_MS = 60_000;

/** Time limit of a run: the payments after it must get their turn within the recovery window. */
export function runLimitMs(recoveryWindowMs: number): number {
  return Math.max(SHORTEST_RUN_MS, recoveryWindowMs / 3);
}

/** How long a planned payment is left to the process that committed it, which sends it at once. */
const PLANNED_WAIT_MS = 10_000;

/**
 * What to do about an open payment.
 *
 * - `leave`: its call may still be running, or is about to begin.
 * - `send`: it is planned.
 * - `probe`: send it once more, with the same key and bytes.
 * - `keep`: it stays unknown.
 */
export function decideRecovery(
  existing: StoredJournalRecord,
  rules: RecoveryRules,
): 'leave' | 'send' | 'probe' | 'keep' {
  if (existing.record.state === 'planned') {
    return existing.leaseLeftMs > 0 || isFresh(existing) ? 'leave' : 'send';
  }
  if (existing.leaseLeftMs > 0 || existing.ageMs <= rules.deadlineMs + CALL_MARGIN_MS) return 'leave';
  // Without the note that the request left, the caller may have been told that nothing was sent.
  return existing.record.sent && isProbeDue(existing, rules) ? 'probe' : 'keep';
}

/** Whether a payment was planned a moment ago. One that is from the future was planned before the clock was set back. */
function isFresh({ idleMs }: StoredJournalRecord): boolean {
  return idleMs >= 0 && idleMs <= PLANNED_WAIT_MS;
}

const STATES: readonly string[] = ['planned', 'in-flight', 'accepted', 'rejected', 'unknown', 'settled'];

/**
 * Why this version of the package cannot handle a payment, which a newer one may have written; undefined if
 * it can.
 */
export function unusable(existing: StoredJournalRecord): string | undefined {
  const damaged = unreadable(existing);
  if (damaged !== undefined) return damaged;
  const { state, operation, body } = existing.record;
  if (!STATES.includes(state)) return `this version does not know its state ${quoted(state)}`;
  if (!isMoneyOperation(operation)) return `this version does not know its operation ${quoted(operation)}`;
  const isReadable = body === undefined ? state !== 'planned' : isJsonObject(body);
  return isReadable ? undefined : 'its request cannot be read';
}

/** The record of a payment that stays unknown. Erases the request after the recovery window. */
export function keptUnknown(existing: StoredJournalRecord, rules: RecoveryRules): JournalRecord {
  const { record, ageMs, leaseLeftMs } = existing;
  // Another call may have begun since the payment was listed.
  if (leaseLeftMs > 0) return record;
  if (record.state !== 'in-flight' && record.state !== 'unknown') return record;
  const named = record.state === 'in-flight' ? toUnknown(record, evidenceOf(existing), record.probe) : record;
  return ageMs > rules.recoveryWindowMs && named.body !== undefined ? toErased(named) : named;
}

/**
 * Accepted payouts never settle by themselves, so they are open only if the gateway can be asked about
 * them.
 */
export function closedStates(
  family: PaymentFamily,
  status: Pick<StatusResolver, 'canAsk'>,
): readonly JournalState[] {
  const acceptedIsOpen = family === 'collection' || status.canAsk(family);
  return acceptedIsOpen ? ['settled', 'rejected'] : ['settled', 'rejected', 'accepted'];
}

const OPEN: readonly JournalState[] = ['planned', 'in-flight', 'unknown', 'accepted'];

/** Whether a payment has been open long enough that somebody should look at it. */
export function isStale(existing: StoredJournalRecord, { staleAfterMs }: RecoveryRules): boolean {
  const { state, stale } = existing.record;
  return OPEN.includes(state) && !stale && openMs(existing) > staleAfterMs;
}

/** How long a payment has been open. Each vain try to send a planned one begins its age again, but not this time. */
export function openMs(existing: StoredJournalRecord): number {
  const { state, plannedAt } = existing.record;
  if (state !== 'planned' || plannedAt === undefined) return Math.max(0, existing.ageMs);
  return Math.max(0, existing.updatedAt + existing.idleMs - plannedAt);
}

/** By the storage's clock. */
export function sinceCreationMs({ createdAt, updatedAt, idleMs }: StoredJournalRecord): number {
  return updatedAt + idleMs - createdAt;
}
