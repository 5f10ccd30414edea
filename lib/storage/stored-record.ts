import { type JournalKey, type JournalRecord, type StoredJournalRecord } from './journal-store.js';
import { jsonObject } from '../common/json-object.js';

/** What a store knows of a payment without reading its record. */
export type RecordColumns = JournalKey & Pick<JournalRecord, 'state' | 'attempt'>;

const COLUMNS = ['account', 'environment', 'family', 'reference', 'state', 'attempt'] as const;
const TEXTS = ['operation', 'amount', 'currency', 'idempotencyKey', 'intent', 'bodyHash'] as const;
const OPTIONAL_TEXTS = ['body', 'answer', 'outcome', 'settledBy', 'evidence', 'probe'] as const;

/**
 * Reads a record that a store keeps as JSON. A record that cannot be read does not stop a list: its columns hold
 * what is certain, and it counts as acknowledged, so that nobody makes the payment again.
 */
export function readRecord(
  json: string,
  columns: RecordColumns,
): Pick<StoredJournalRecord, 'record' | 'damaged'> {
  const found = jsonObject(json);
  const why = found ? problemOf(found, columns) : 'its record is no JSON object';
  if (why === undefined) return { record: found as unknown as JournalRecord };
  const text = (field: (typeof TEXTS)[number]): string => {
    const value = found?.[field];
    return typeof value === 'string' ? value : '';
  };
  const { account, environment, family, reference, state, attempt } = columns;
  const record = {
    ...{ account, environment, family, reference, state, attempt },
    ...Object.fromEntries(TEXTS.map((field) => [field, text(field)])),
    acknowledged: true,
  };
  return { record: record as JournalRecord, damaged: why };
}

function problemOf(found: Readonly<Record<string, unknown>>, columns: RecordColumns): string | undefined {
  const other = COLUMNS.find((field) => found[field] !== columns[field]);
  if (other !== undefined) return `its record names another ${other}`;
  const missing = TEXTS.find((field) => typeof found[field] !== 'string');
  if (missing !== undefined) return `its record has no ${missing}`;
  const strange = OPTIONAL_TEXTS.find(
    (field) => found[field] !== undefined && typeof found[field] !== 'string',
  );
  return strange === undefined ? undefined : `its ${strange} is no text`;
}

/**
 * The part of a record's JSON that says which call wrote it: the age of an attempt counts from the first record of that
 * call. No other field can contain it, because JSON escapes the quotes inside a text.
 */
export function intentText({ intent }: Pick<JournalRecord, 'intent'>): string {
  return `"intent":${JSON.stringify(intent)}`;
}

/** When the last attempt was last sent, by the clock of the storage. */
export function begunAtOf({ updatedAt, idleMs, ageMs }: StoredJournalRecord): number {
  return updatedAt + idleMs - ageMs;
}
