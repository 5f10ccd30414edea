import { type JournalRecord } from '../../common/journal-port.js';
import { jsonObject } from '../../common/json-object.js';
import { type MoneyCall } from '../gateway-call.js';
import { type AnswerEnvelope, type ReadSuccess } from '../interpret-attempt.js';
import { withLastResponse, type PaymentsResponse } from '../last-response.js';
import { asRecord, type WireRecord } from '../read-record.js';

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

/** What a call gives for a payment that stands in the journal as accepted or paid. */
export function repeatedAnswer<T extends object>(
  call: MoneyCall<T>,
  record: JournalRecord,
): PaymentsResponse<T> {
  const { idempotencyKey } = record;
  const stored = storedAnswer(record);
  const payload = stored && call.read((stored.answer ?? stored).data);
  if (!payload) return answerless(record);
  return withLastResponse(withOutcome(payload.value, record), {
    ...stored.envelope,
    idempotencyKey,
    attempts: [],
    warnings: payload.warnings,
  });
}

/** Undefined where none is kept, or what is kept is damaged. */
function storedAnswer({ answer }: JournalRecord): StoredAnswer | undefined {
  const stored = answer === undefined ? undefined : jsonObject(answer);
  return stored?.['envelope'] === undefined ? undefined : (stored as unknown as StoredAnswer);
}

/** A payment that has ended shows how, whatever the answer said when it was accepted. */
export function withOutcome<T extends object>(value: T, record: JournalRecord | undefined): T {
  return record?.outcome === undefined ? value : { ...value, status: record.outcome };
}

/** The gateway's own record never came, or cannot be read any more: that the payment was made is certain. */
function answerless<T extends object>(record: JournalRecord): PaymentsResponse<T> {
  const { reference, amount, currency, outcome, idempotencyKey } = record;
  const known = { reference, amount, currency, status: outcome ?? 'pending' };
  return withLastResponse(known as unknown as T, {
    code: '',
    message: '',
    httpStatus: 0,
    idempotencyKey,
    attempts: [],
    warnings: [
      record.answer === undefined
        ? `the gateway's record of this payment was never received: that it was made is known from ${SOURCES[record.settledBy ?? 'status']}`
        : "the gateway's record of this payment cannot be read from the journal: only that it was made is known",
    ],
  });
}

const SOURCES = {
  webhook: 'a webhook',
  status: 'a status query',
  operator: 'PaymentsJournal.settle()',
} as const;
