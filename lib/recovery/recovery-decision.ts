import { type JournalRecord, type StoredJournalRecord } from '../common/journal-port.js';
import { type ResolvedPaymentsOptions } from '../config/resolved-options.js';
import { erased, unknown } from '../transport/journal/journal-transitions.js';
import { isProbeDue, type ProbeRules } from '../transport/journal/probe-rules.js';
import { evidenceOf } from '../transport/journal/repeated-call.js';

/** After its deadline a call may still be running on a machine that is slow, and during a rolling deploy. */
const MARGIN_MS = 30_000;

export type RecoveryRules = ProbeRules & Pick<ResolvedPaymentsOptions, 'deadlineMs' | 'staleAfterMs'>;

/**
 * What to do about an open payment.
 *
 * - `leave`: its call may still be running.
 * - `probe`: send it once more, with its key and its bytes.
 * - `keep`: it is unknown, and nothing here can tell more.
 */
export function decideRecovery(
  standing: StoredJournalRecord,
  rules: RecoveryRules,
): 'leave' | 'probe' | 'keep' {
  if (standing.leaseLeftMs > 0 || standing.ageMs <= rules.deadlineMs + MARGIN_MS) return 'leave';
  return isProbeDue(standing, rules) ? 'probe' : 'keep';
}

/** How a payment is kept that stays unknown: the request is erased once nothing may be sent any more. */
export function keptUnknown(standing: StoredJournalRecord, rules: RecoveryRules): JournalRecord {
  const { record, ageMs } = standing;
  if (record.state !== 'in-flight' && record.state !== 'unknown') return record;
  const named = record.state === 'in-flight' ? unknown(record, evidenceOf(standing), record.probe) : record;
  return ageMs > rules.recoveryWindowMs && named.body !== undefined ? erased(named) : named;
}

/** Whether nothing was heard of a payment for so long that somebody should look at it. */
export function isStale({ record, ageMs }: StoredJournalRecord, { staleAfterMs }: RecoveryRules): boolean {
  const open = record.state === 'in-flight' || record.state === 'unknown' || record.state === 'accepted';
  return open && !record.stale && ageMs > staleAfterMs;
}
