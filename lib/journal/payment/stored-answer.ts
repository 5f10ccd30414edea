import { jsonObject } from '../../common/json-object.js';
import { type AnswerEnvelope, type ReadSuccess } from '../../gateway/answer/interpret-try.js';
import { asRecord, type WireRecord } from '../../gateway/answer/wire-record.js';
import { type JournalRecord } from '../../storage/journal-store.js';

interface StoredAnswer {
  readonly envelope: AnswerEnvelope;
  readonly answer?: { readonly data: unknown };
  /** Instead of `answer` in records of older builds. */
  readonly data?: unknown;
}

/** A success answer for the journal. The received text is kept as it is. */
export function answerText({ text, envelope }: Pick<ReadSuccess<unknown>, 'text' | 'envelope'>): string {
  // `join` makes a flat string; a template would make a rope of five, which a memory journal keeps.
  return ['{"envelope":', JSON.stringify(envelope), ',"answer":', text, '}'].join('');
}

/** The gateway's record of a payment in the stored success answer; undefined if there is none. */
export function gatewayRecord(record: JournalRecord): WireRecord | undefined {
  const stored = storedAnswer(record);
  return stored && asRecord((stored.answer ?? stored).data);
}

/** The stored success answer; undefined if there is none, or if it is damaged. */
export function storedAnswer({ answer }: JournalRecord): StoredAnswer | undefined {
  const stored = answer === undefined ? undefined : jsonObject(answer);
  return stored?.['envelope'] === undefined ? undefined : (stored as unknown as StoredAnswer);
}
