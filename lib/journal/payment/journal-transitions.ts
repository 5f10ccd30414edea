import { randomUUID } from 'node:crypto';
import { type JournalKey, type JournalRecord, type ProbeWait } from '../../storage/journal-store.js';
import { jsonObject } from '../../common/json-object.js';
import { type OutcomeEvidence, movesMoney, type PaymentOutcome } from '../../common/vocabulary.js';
import { type AnswerEnvelope, type ReadSuccess } from '../../gateway/answer/interpret-attempt.js';
import { asRecord, type WireRecord } from '../../gateway/answer/wire-record.js';
import { idempotencyKeyFor } from './payment-identity.js';

/** What is known of a payment before it is written down. */
export interface NewPayment
  extends JournalKey, Pick<JournalRecord, 'operation' | 'amount' | 'currency' | 'bodyHash'> {
  readonly body: string;
}

/**
 * An attempt of a payment begins.
 *
 * @param givenKey The caller's own key.
 * @param existingKey The key that the attempt has already.
 */
export function toInFlight(
  payment: NewPayment,
  attempt: number,
  givenKey: string | undefined,
  existingKey: string | undefined,
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
    state: 'in-flight',
    // Should this process end before the answer comes.
    probe: 'after-silence',
  };
  return existingKey === undefined ? record : { ...record, keepsKey: true };
}

/**
 * Flattens the string: `randomUUID` returns a rope, which keeps eight times the memory as long as a journal
 * holds it.
 */
function newIntent(): string {
  return Buffer.from(randomUUID(), 'latin1').toString('latin1');
}

/** What the gateway says only of a payment that it has. */
const PROVES_RECEIPT: ReadonlySet<OutcomeEvidence> = new Set([
  'duplicate-request',
  'duplicate-reference',
  'echo-mismatch',
]);

/**
 * The gateway took it. A payment that has ended stays ended, and only keeps the answer; one that an operator
 * called ended without success is unknown again.
 *
 * @param answer Absent where a status query said so.
 * @param outcome Set where the answer says that the payment has ended.
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
 * The gateway has it, and nothing else is known. Where the gateway refused it before, or an operator called
 * it ended without success, that word is contradicted: it is unknown again, until somebody looks once more.
 */
export function toAcknowledged(record: JournalRecord): JournalRecord {
  return record.state === 'rejected' || contradicts(record)
    ? conflicting(record)
    : toAcknowledgedWithoutMoney(record);
}

/**
 * The gateway has it, and says itself that no money moved: that agrees with a refusal, and with an operator
 * who says so.
 */
export function toAcknowledgedWithoutMoney(record: JournalRecord): JournalRecord {
  return isAcknowledged(record) || record.state === 'rejected' ? record : { ...record, acknowledged: true };
}

/** Whether the gateway ever said that it has the payment: then another attempt of it could be a second payment. */
export function isAcknowledged({ acknowledged, answer }: JournalRecord): boolean {
  return acknowledged === true || answer !== undefined;
}

/**
 * The gateway definitely refused.
 *
 * @param listed Whether a listed code, or field messages, refused; else the next call sends the same attempt again.
 */
export function toRejected(record: JournalRecord, listed: boolean): JournalRecord {
  // A webhook that was set aside meanwhile proved that the gateway has it.
  if (isAcknowledged(record)) return conflicting(record);
  const refused: JournalRecord = { ...closed(record), state: 'rejected' };
  // Once a refusal of this attempt proved nothing, no later one proves that the first try did not arrive.
  return listed && !record.keepsKey ? refused : { ...refused, keepsKey: true };
}

/**
 * Money may have moved. What the journal knows better stays. That the gateway has the payment is remembered in any
 * case. An operator who called the payment failed while the call was running could not know how the call would end:
 * it is unknown again, unless its reference is used up anyway because the gateway acknowledged it.
 *
 * @param probe The one further try, where it is still open.
 */
export function toUnknown(
  record: JournalRecord,
  evidence: OutcomeEvidence,
  probe: ProbeWait | undefined,
): JournalRecord {
  const known = PROVES_RECEIPT.has(evidence) ? toAcknowledged(record) : record;
  if (contradicts(known) && !isAcknowledged(known)) return { ...reopened(known), evidence };
  if (known.state !== 'in-flight' && known.state !== 'unknown') return known;
  if (record.state === 'settled') return known;
  const { probe: _spent, ...rest } = known;
  return { ...rest, state: 'unknown', evidence, ...(probe && { probe }) };
}

/**
 * It ended.
 *
 * @param providerReference The hash of the provider reference, where a webhook named one.
 */
export function toSettled(
  record: JournalRecord,
  outcome: PaymentOutcome,
  settledBy: NonNullable<JournalRecord['settledBy']>,
  providerReference?: string,
): JournalRecord {
  const { outcome: _outcome, settledBy: _by, providerReference: _reference, ...rest } = closed(record);
  const ended = { outcome, settledBy, ...rest, state: 'settled' } as const;
  return providerReference === undefined ? ended : { ...ended, providerReference };
}

/** The one further try is about to leave: nobody else may make it. */
export function toProbing(record: JournalRecord, evidence: OutcomeEvidence): JournalRecord {
  return toUnknown(record, evidence, undefined);
}

/** The request is not needed any more, and holds personal data. */
export function toErased(record: JournalRecord): JournalRecord {
  const { body: _body, probe: _probe, sent: _sent, ...rest } = record;
  return rest;
}

/** Whether an acknowledgement that comes now contradicts an operator's word that no money moved. */
function contradicts({ settledBy, outcome }: JournalRecord, says?: PaymentOutcome): boolean {
  return settledBy === 'operator' && !movesMoney(outcome) && (says === undefined || movesMoney(says));
}

function conflicting(record: JournalRecord): JournalRecord {
  return { ...reopened(record), acknowledged: true, evidence: 'conflict' };
}

function reopened(record: JournalRecord): JournalRecord {
  const { outcome: _outcome, settledBy: _by, ...rest } = closed(record);
  return { ...rest, state: 'unknown' };
}

function closed(record: JournalRecord): JournalRecord {
  const {
    evidence: _evidence,
    body: _body,
    probe: _probe,
    sent: _sent,
    keepsKey: _keepsKey,
    ...rest
  } = record;
  return rest;
}

interface StoredAnswer {
  readonly envelope: AnswerEnvelope;
  readonly answer?: { readonly data: unknown };
  /** In the place of `answer`, where a build wrote it that kept nothing else of what came. */
  readonly data?: unknown;
}

/** A success answer as the journal keeps it: what came stays as it came, without being written anew. */
export function answerText({ text, envelope }: Pick<ReadSuccess<unknown>, 'text' | 'envelope'>): string {
  // Joined, a text of one piece; a template would be five, which a journal in memory keeps.
  return ['{"envelope":', JSON.stringify(envelope), ',"answer":', text, '}'].join('');
}

/** The gateway's record of a payment as its success answer brought it; undefined where none is kept. */
export function storedRecord(record: JournalRecord): WireRecord | undefined {
  const stored = storedAnswer(record);
  return stored && asRecord((stored.answer ?? stored).data);
}

/** The success answer that a record keeps; undefined where it keeps none, or a damaged one. */
export function storedAnswer({ answer }: JournalRecord): StoredAnswer | undefined {
  const stored = answer === undefined ? undefined : jsonObject(answer);
  return stored?.['envelope'] === undefined ? undefined : (stored as unknown as StoredAnswer);
}
