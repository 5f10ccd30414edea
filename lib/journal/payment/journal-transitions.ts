import { randomUUID } from 'node:crypto';
import {
  type JournalKey,
  type JournalRecord,
  type StoredJournalRecord,
} from '../../storage/journal-store.js';
import { begunAtOf } from '../../storage/stored-record.js';
import {
  type OutcomeEvidence,
  movesMoney,
  type PaymentOutcome,
  type ProbeWait,
} from '../../common/vocabulary.js';
import { idempotencyKeyFor } from './payment-identity.js';

export interface NewPayment
  extends JournalKey, Pick<JournalRecord, 'operation' | 'amount' | 'currency' | 'bodyHash'> {
  readonly body: string;
}

/**
 * Begins an attempt.
 *
 * @param givenKey The caller's own key.
 * @param existingKey The key of the attempt, if it was made before.
 */
export function toInFlight(
  payment: NewPayment,
  attempt: number,
  givenKey: string | undefined,
  existingKey?: string,
): JournalRecord {
  return begun(toPlanned(payment, attempt, givenKey, existingKey));
}

function begun(record: JournalRecord): JournalRecord {
  // The probe is for the case that this process ends before the answer comes.
  return { ...record, state: 'in-flight', probe: 'after-silence', begunAtByProcess: Date.now() };
}

/** Plans an attempt, as `toInFlight` begins one: it is written down in a transaction, and sent after the commit. */
export function toPlanned(
  payment: NewPayment,
  attempt: number,
  givenKey: string | undefined,
  existingKey?: string,
): JournalRecord {
  const { account, environment, family, reference, operation, amount, currency, bodyHash, body } = payment;
  const record: JournalRecord = {
    account,
    environment,
    family,
    reference,
    operation,
    amount,
    currency,
    attempt,
    idempotencyKey:
      existingKey ?? givenKey ?? idempotencyKeyFor({ account, environment, operation, reference, attempt }),
    intent: newIntent(),
    bodyHash,
    body,
    state: 'planned',
  };
  return existingKey === undefined ? record : { ...record, keepsKey: true };
}

/** Remembers when a payment was planned: its age begins again when it is sent, also if nothing is sent then. */
export function withPlannedAt(planned: StoredJournalRecord): JournalRecord & { readonly plannedAt: number } {
  return { ...planned.record, plannedAt: planned.record.plannedAt ?? begunAtOf(planned) };
}

/** Begins the attempt of a planned payment, with its key and its bytes. */
export function toSending(planned: JournalRecord & { readonly plannedAt: number }): JournalRecord {
  const { stale: _stale, ...record } = planned;
  return begun({ ...record, intent: newIntent() });
}

/** The gateway turned a planned payment away, so it stays planned and keeps its key: it may have been made, and counts. */
export function toPlannedAgain(before: JournalRecord, sent: JournalRecord, kind: RefusalKind): JournalRecord {
  return keepingKey(asBefore(before, sent), before, kind);
}

/** An attempt that is made again counts as it did before, on the same day, and kept its key for the same reason. */
export function asBefore(
  record: JournalRecord,
  { attempt, counted, countedOn, turnedAway }: JournalRecord,
): JournalRecord {
  if (attempt !== record.attempt) return record;
  return {
    ...record,
    ...(record.keepsKey && turnedAway && { turnedAway }),
    ...(counted && { counted, ...(countedOn !== undefined && { countedOn }) }),
  };
}

/** @param before The attempt so far: one refusal without a listed code counts more than any number of answers that turned it away. */
function keepingKey(record: JournalRecord, before: JournalRecord, refusal: RefusalKind): JournalRecord {
  const { turnedAway: _, ...rest } = record;
  const turnedAway = refusal === 'turned-away' && (!before.keepsKey || before.turnedAway === true);
  return { ...rest, keepsKey: true, ...(turnedAway && { turnedAway }) };
}

/** Flattens the string: `randomUUID` returns a rope, which keeps eight times the memory. */
function newIntent(): string {
  return Buffer.from(randomUUID(), 'latin1').toString('latin1');
}

/** This evidence proves that the gateway has the payment. */
const PROVES_RECEIPT: ReadonlySet<OutcomeEvidence> = new Set([
  'duplicate-request',
  'duplicate-reference',
  'echo-mismatch',
]);

/**
 * The gateway accepted the payment. A settled payment only keeps the answer. If an operator settled it
 * without success, it is unknown again.
 *
 * @param answer Absent after a status query.
 * @param outcome Set if the answer says that the payment has ended.
 */
export function toAccepted(record: JournalRecord, answer?: string, outcome?: PaymentOutcome): JournalRecord {
  if (outcome !== undefined && record.state !== 'settled') {
    return toSettled(toAccepted(record, answer), outcome, 'status');
  }
  const open = contradicts(record, outcome) ? conflicting(record) : closed(record);
  const { answer: earlier, ...rest } = open;
  const state = record.state === 'settled' ? open.state : 'accepted';
  const kept = answer ?? earlier;
  return kept === undefined ? { ...rest, acknowledged: true, state } : { answer: kept, ...rest, state };
}

/**
 * The gateway has the payment, and nothing else is known. That contradicts a refusal, a plan that nobody has sent,
 * and an operator who settled it without success: the payment is unknown.
 */
export function toAcknowledged(record: JournalRecord): JournalRecord {
  return record.state === 'rejected' || record.state === 'planned' || contradicts(record)
    ? conflicting(record)
    : toAcknowledgedWithoutMoney(record);
}

/**
 * The gateway has the payment and says that no money moved. That agrees with a refusal and with such an
 * operator. Of a planned payment it can only mean an earlier attempt.
 */
export function toAcknowledgedWithoutMoney(record: JournalRecord): JournalRecord {
  const agrees = record.state === 'rejected' || record.state === 'planned';
  return isAcknowledged(record) || agrees ? record : { ...record, acknowledged: true };
}

/** Whether the gateway ever said that it has the payment. Then another attempt could pay twice. */
export function isAcknowledged({ acknowledged, answer }: JournalRecord): boolean {
  return acknowledged === true || answer !== undefined;
}

/**
 * How the gateway refused.
 *
 * - `proven`: it is certain that no money moved.
 * - `unproven`: the next call sends the same attempt again, with its key.
 * - `turned-away`: the same, but nobody looked at the request (401, 403, 429 and redirects without a code of their own).
 */
export type RefusalKind = 'proven' | 'unproven' | 'turned-away';

/** The gateway refused. */
export function toRejected(record: JournalRecord, refusal: RefusalKind): JournalRecord {
  // A webhook that was set aside meanwhile proved that the gateway has the payment.
  if (isAcknowledged(record)) return conflicting(record);
  const refused: JournalRecord = { ...closed(record), state: 'rejected' };
  if (!isFinalRefusal(record, refusal === 'proven')) return keepingKey(refused, record, refusal);
  const { counted: _counted, countedOn: _day, ...uncounted } = refused;
  return uncounted;
}

/** If one refusal of this attempt proved nothing, a later one does not prove that the first try did not arrive. */
export function isFinalRefusal({ keepsKey }: JournalRecord, proven: boolean): boolean {
  return proven && !keepsKey;
}

/**
 * Money may have moved. A record that knows more stays, but always remembers that the gateway has the
 * payment. An operator who called the payment failed during the call could not know its end: the payment is
 * unknown again, unless the gateway acknowledged it and its reference is used up anyway.
 *
 * @param probe Set if the probe is still allowed.
 */
export function toUnknown(
  record: JournalRecord,
  evidence: OutcomeEvidence,
  probe: ProbeWait | undefined,
): JournalRecord {
  const known = PROVES_RECEIPT.has(evidence) ? toAcknowledged(record) : record;
  if (contradicts(known) && !isAcknowledged(known)) return { ...reopened(known), evidence };
  if (known.state !== 'in-flight' && known.state !== 'planned' && known.state !== 'unknown') return known;
  if (record.state === 'settled') return known;
  const { probe: _spent, ...rest } = known;
  return { ...rest, state: 'unknown', evidence, ...(probe && { probe }) };
}

/** Whether the last attempt is not the given one. False if none is given. */
export function isAnotherAttempt({ attempt }: JournalRecord, meant: number | undefined): boolean {
  return meant !== undefined && attempt !== meant;
}

/** @param providerReference The hash of the provider reference, if a webhook named one. */
export function toSettled(
  record: JournalRecord,
  outcome: PaymentOutcome,
  settledBy: NonNullable<JournalRecord['settledBy']>,
  providerReference?: string,
): JournalRecord {
  const { outcome: _outcome, settledBy: _by, providerReference: _reference, ...rest } = closed(record);
  const ended = { outcome, settledBy, ...rest, state: 'settled' } as const;
  // The spread comes last: Node 20 gives a new shape to each object that gets properties after one.
  return providerReference === undefined ? ended : { providerReference, ...ended };
}

/** The probe is about to leave. No other process may send it. */
export function toProbing(record: JournalRecord, evidence: OutcomeEvidence): JournalRecord {
  return toUnknown(record, evidence, undefined);
}

/** Nobody but its caller may send the attempt again, whatever becomes of this call. */
export function withoutProbe(record: JournalRecord): JournalRecord {
  const { probe: _probe, ...rest } = record;
  return rest;
}

/** Erases the request, which holds personal data. */
export function toErased(record: JournalRecord): JournalRecord {
  const { body: _body, probe: _probe, sent: _sent, ...rest } = record;
  return rest;
}

/** A settled payment that is written again, for example without its person, ended when it did. */
export function endedAsBefore(
  { record, updatedAt }: Pick<StoredJournalRecord, 'record' | 'updatedAt'>,
  next: JournalRecord,
): JournalRecord {
  const isSameEnd = record.state === 'settled' && next.state === 'settled' && next.outcome === record.outcome;
  return isSameEnd ? { ...next, endedAt: record.endedAt ?? updatedAt } : next;
}

/** Whether nobody has acted on a record since it was read. */
export function isUntouched(existing: JournalRecord, before: JournalRecord): boolean {
  return (
    existing.intent === before.intent &&
    existing.state === before.state &&
    existing.outcome === before.outcome &&
    existing.settledBy === before.settledBy &&
    isAcknowledged(existing) === isAcknowledged(before)
  );
}

/**
 * If another process makes the probe, an unclear answer neither allows one more nor ends the lease of that
 * process.
 */
export function besideAnotherTry(existing: JournalRecord, next: JournalRecord): JournalRecord {
  const isTaken = existing.state === 'unknown' && existing.probe === undefined;
  if (!isTaken || next.state !== 'unknown') return next;
  return isAcknowledged(next) ? toAcknowledged(existing) : existing;
}

/** Whether an acknowledgement contradicts an operator who said that no money moved. */
function contradicts({ settledBy, outcome }: JournalRecord, says?: PaymentOutcome): boolean {
  return settledBy === 'operator' && !movesMoney(outcome) && (says === undefined || movesMoney(says));
}

function conflicting(record: JournalRecord): JournalRecord {
  return { ...reopened(record), acknowledged: true, evidence: 'conflict' };
}

/** Somebody has to look at it again, so it is announced as stale once more. */
function reopened(record: JournalRecord): JournalRecord {
  const { outcome: _outcome, settledBy: _by, stale: _stale, ...rest } = closed(record);
  return { ...rest, state: 'unknown' };
}

/** Keeps `keepsKey`: a message about the refused try may come long after another one was accepted. */
function closed(record: JournalRecord): JournalRecord {
  const {
    evidence: _evidence,
    body: _body,
    probe: _probe,
    sent: _sent,
    baseUrl: _baseUrl,
    plannedAt: _plannedAt,
    endedAt: _endedAt,
    ...rest
  } = record;
  return rest;
}
