import { isJsonObject } from '../../common/json-object.js';
import { type StoredJournalRecord } from '../../common/journal-port.js';
import { type ResolvedPaymentsOptions } from '../../config/resolved-options.js';
import { isMoneyOperation } from '../money-paths.js';
import { isAcknowledged } from './journal-transitions.js';

/** When a payment that may have been made may be tried once more. */
export type ProbeRules = Pick<ResolvedPaymentsOptions, 'probe' | 'recoveryWindowMs'>;

/**
 * Whether the one further try of a payment is still open, is allowed, and has waited long enough. Nothing is sent that this version
 * cannot read, or that a newer one wrote; nor what the gateway said that it has: another request could only make it twice.
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
