import { type JournalRecord, type ProbeWait } from '../../common/journal-port.js';
import { type OutcomeEvidence } from '../../common/outcome-evidence.js';
import { type PaymentOutcome } from '../../common/statuses.js';

/**
 * The gateway took it. A payment that has ended stays ended, and only keeps the answer.
 *
 * @param answer Absent where a status query said so.
 */
export function accepted(record: JournalRecord, answer?: string): JournalRecord {
  const { answer: earlier, ...rest } = closed(record);
  const state = record.state === 'settled' ? 'settled' : 'accepted';
  const kept = answer ?? earlier;
  return kept === undefined ? { ...rest, state } : { answer: kept, ...rest, state };
}

/** The gateway definitely refused. */
export function rejected(record: JournalRecord): JournalRecord {
  return { ...closed(record), state: 'rejected' };
}

/**
 * Money may have moved. What the journal knows better stays.
 *
 * @param probe The one further try, where it is still open.
 */
export function unknown(
  record: JournalRecord,
  evidence: OutcomeEvidence,
  probe: ProbeWait | undefined,
): JournalRecord {
  if (record.state !== 'in-flight' && record.state !== 'unknown') return record;
  const { probe: _spent, ...rest } = record;
  return { ...rest, state: 'unknown', evidence, ...(probe && { probe }) };
}

/** It ended. */
export function settled(
  record: JournalRecord,
  outcome: PaymentOutcome,
  settledBy: NonNullable<JournalRecord['settledBy']>,
): JournalRecord {
  const { outcome: _outcome, settledBy: _settledBy, ...rest } = closed(record);
  return { outcome, settledBy, ...rest, state: 'settled' };
}

/** The one further try is about to leave: nobody else may make it. */
export function probing(record: JournalRecord, evidence: OutcomeEvidence): JournalRecord {
  return unknown(record, evidence, undefined);
}

/** The request is not needed any more, and holds personal data. */
export function erased(record: JournalRecord): JournalRecord {
  const { body: _body, probe: _probe, ...rest } = record;
  return rest;
}

function closed(record: JournalRecord): JournalRecord {
  const { evidence: _evidence, body: _body, probe: _probe, ...rest } = record;
  return rest;
}
