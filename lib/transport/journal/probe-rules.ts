import { type StoredJournalRecord } from '../../common/journal-port.js';
import { type ResolvedPaymentsOptions } from '../../config/resolved-options.js';

/** When a payment that may have been made may be tried once more. */
export type ProbeRules = Pick<ResolvedPaymentsOptions, 'probe' | 'recoveryWindowMs'>;

/** Whether the one further try of a payment is still open, is allowed, and has waited long enough. */
export function isProbeDue(
  { record, ageMs, idleMs, leaseLeftMs }: StoredJournalRecord,
  rules: ProbeRules,
): boolean {
  const waits = rules.probe[record.family];
  if (!waits || !record.probe || record.body === undefined || leaseLeftMs > 0) return false;
  const waitMs = record.probe === 'after-answer' ? waits.afterAnswerMs : waits.afterSilenceMs;
  return idleMs >= waitMs && ageMs <= rules.recoveryWindowMs;
}
