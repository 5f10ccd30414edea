import { accountsIn } from '../account-page.js';
import {
  type JournalInsertion,
  type JournalInTransaction,
  type JournalKey,
  type JournalRecord,
  type JournalStore,
  type StoredJournalRecord,
} from '../journal-store.js';
import { type SealedPlace } from './sealed-value.js';
import { type ValueSealer } from './value-sealer.js';

/** The fields that hold personal data, or a hash that can be guessed from some. */
export const SEALED_FIELDS = ['body', 'answer', 'bodyHash'] as const;

/** A journal whose store gets names, phone numbers and account numbers sealed. */
export function sealedJournal(journal: JournalStore, sealer: ValueSealer): JournalStore {
  return {
    ...sealedWriting(journal, sealer),
    get: async (key) => {
      const stored = await journal.get(key);
      return stored && openRecord(stored, sealer);
    },
    remove: (key, version) => journal.remove(key, version),
    list: async (scope, except, page) => {
      const { entries, ...rest } = await journal.list(scope, except, page);
      const opened: StoredJournalRecord[] = [];
      for (const entry of entries) opened.push(await openRecord(entry, sealer));
      return { entries: opened, ...rest };
    },
    tombstone: (key) => journal.tombstone(key),
    endTombstone: (key, ended) => journal.endTombstone(key, ended),
    purge: (scope, what, olderThanMs) => journal.purge(scope, what, olderThanMs),
    accounts: (page) => accountsIn(journal, 'journal', page),
    ...(journal.within && { within: sealedWithin(journal.within.bind(journal), sealer) }),
  };
}

function sealedWithin(
  within: NonNullable<JournalStore['within']>,
  sealer: ValueSealer,
): NonNullable<JournalStore['within']> {
  return async (transaction) => sealedWriting(await within(transaction), sealer);
}

function sealedWriting(journal: JournalInTransaction, sealer: ValueSealer): JournalInTransaction {
  return {
    insert: async (record, leaseMs): Promise<JournalInsertion> => {
      const sealed = await sealRecord(record, sealer);
      const result = await journal.insert(sealed, leaseMs);
      if (!result.stored) return result;
      return { ...result, stored: await openWritten(result.stored, record, sealed, sealer) };
    },
    replace: async (version, record, leaseMs) => {
      const sealed = await sealRecord(record, sealer);
      const stored = await journal.replace(version, sealed, leaseMs);
      return stored && openWritten(stored, record, sealed, sealer);
    },
  };
}

export async function sealRecord(record: JournalRecord, sealer: ValueSealer): Promise<JournalRecord> {
  const sealed: Partial<Record<(typeof SEALED_FIELDS)[number], string>> = {};
  for (const field of SEALED_FIELDS) {
    const text = record[field];
    // An erased field is empty.
    if (text) sealed[field] = await sealer.seal(text, placeOf(record, field));
  }
  return { ...record, ...sealed };
}

/** Opens nothing if the store gives back what was just written. */
async function openWritten(
  stored: StoredJournalRecord,
  record: JournalRecord,
  sealed: JournalRecord,
  sealer: ValueSealer,
): Promise<StoredJournalRecord> {
  const isOurs = SEALED_FIELDS.every((field) => stored.record[field] === sealed[field]);
  const isReadable =
    isOurs && SEALED_FIELDS.every((field) => sealed[field] === undefined || sealed[field] !== record[field]);
  if (!isReadable) return openRecord(stored, sealer);
  return { ...stored, record: { ...stored.record, ...pick(record) } };
}

function pick(record: JournalRecord): Partial<JournalRecord> {
  return Object.fromEntries(
    SEALED_FIELDS.flatMap((field) => (record[field] === undefined ? [] : [[field, record[field]]])),
  );
}

/**
 * Opens a record. If a field does not open, the record is damaged: nothing is ever sent for it. The field stays
 * sealed, and is written back as it is by whoever changes the record, so that it opens once its key is back.
 */
export async function openRecord(
  stored: StoredJournalRecord,
  sealer: ValueSealer,
): Promise<StoredJournalRecord> {
  if (stored.damaged !== undefined) return stored;
  const { record } = stored;
  const opened: Partial<Record<(typeof SEALED_FIELDS)[number], string>> = {};
  let damaged: string | undefined;
  for (const field of SEALED_FIELDS) {
    const text = record[field];
    if (text === undefined) continue;
    const result = await sealer.open(text, placeOf(record, field), field);
    opened[field] = result.text ?? text;
    damaged ??= result.problem;
  }
  const whole = { ...stored, record: { ...record, ...opened } };
  return damaged === undefined ? whole : { ...whole, damaged };
}

function placeOf(record: JournalKey & Pick<JournalRecord, 'attempt'>, field: string): SealedPlace {
  const { account, environment, family, reference, attempt } = record;
  return ['journal', account, environment, family, reference, attempt, field];
}
