import { accountsIn } from '../account-page.js';
import { type CountedPayment } from '../daily-cap.js';
import {
  type DailyCapStore,
  type JournalInsertion,
  type JournalInTransaction,
  type JournalRecord,
  type JournalStore,
  type StoredJournalRecord,
} from '../journal-store.js';
import { isSealed, SEALED_WITHOUT_KEYS, type SealedPlace } from './sealed-value.js';
import { cannotOpenNow, type ValueSealer } from './value-sealer.js';

/** The fields that hold personal data, or a hash that can be guessed from some. */
export const SEALED_FIELDS = ['body', 'answer', 'bodyHash'] as const;

/** A journal whose store gets names, phone numbers and account numbers sealed. */
export function sealedJournal(journal: JournalStore, sealer: ValueSealer): JournalStore {
  const find = findIn(journal, sealer);
  return {
    ...sealedWriting(journal, sealer, find),
    get: async (key) => {
      const stored = await journal.get(key);
      return stored && openRecord(stored, sealer);
    },
    remove: (key, version) => journal.remove(key, version),
    list: async (scope, except, page) => {
      const { entries, ...rest } = await journal.list(scope, except, page);
      const listed = sealer.forList();
      // At once: the data keys of a page may need many calls of a key service.
      return { entries: await Promise.all(entries.map((entry) => openListed(entry, listed))), ...rest };
    },
    tombstone: (key) => journal.tombstone(key),
    endTombstone: (key, ended) => journal.endTombstone(key, ended),
    purge: (scope, what, olderThanMs) => journal.purge(scope, what, olderThanMs),
    accounts: (page) => accountsIn(journal, 'journal', page),
    ...(journal.within && { within: sealedWithin(journal.within.bind(journal), sealer) }),
    ...(journal.dailyCaps && { dailyCaps: sealedDailyCaps(journal.dailyCaps, sealer, find) }),
  };
}

function sealedDailyCaps(caps: DailyCapStore, sealer: ValueSealer, find: FindExisting): DailyCapStore {
  return {
    insert: async (record, leaseMs, share) => {
      const { sealed, found } = await sealOrFind(record, sealer, find);
      if (found) return found;
      const result = await caps.insert(sealed, leaseMs, share);
      return 'reachedOn' in result ? result : openInserted(result, record, sealed, sealer);
    },
    replace: async (version, record, leaseMs, share) => {
      const sealed = await sealRecord(record, sealer);
      const result = await caps.replace(version, sealed, leaseMs, share);
      if (!result || 'reachedOn' in result) return result;
      const { countedOn } = result;
      return { ...(await openWritten(result, record, sealed, sealer, openListed)), countedOn };
    },
    release: (scope, day, cents) => caps.release(scope, day, cents),
  };
}

function sealedWithin(
  within: NonNullable<JournalStore['within']>,
  sealer: ValueSealer,
): NonNullable<JournalStore['within']> {
  return async (transaction) => sealedWriting(await within(transaction), sealer);
}

/** @param find Undefined in a transaction, in which nothing is read. */
function sealedWriting(
  journal: JournalInTransaction,
  sealer: ValueSealer,
  find?: FindExisting,
): JournalInTransaction {
  return {
    insert: async (record, leaseMs): Promise<JournalInsertion> => {
      const { sealed, found } = await sealOrFind(record, sealer, find);
      return found ?? openInserted(await journal.insert(sealed, leaseMs), record, sealed, sealer);
    },
    replace: async (version, record, leaseMs) => {
      const sealed = await sealRecord(record, sealer);
      const stored = await journal.replace(version, sealed, leaseMs);
      return stored && openWritten(stored, record, sealed, sealer, openListed);
    },
  };
}

/** Finds a payment that cannot be sealed. Rejects with a `KeyServiceError` if it cannot be opened now. */
type FindExisting = (record: JournalRecord) => Promise<JournalInsertion | undefined>;

function findIn(journal: JournalStore, sealer: ValueSealer): FindExisting {
  return async (record) => {
    const stored = await journal.get(record);
    if (stored) return { inserted: false, stored: await openRecord(stored, sealer) };
    const tombstone = await journal.tombstone(record);
    return tombstone && { inserted: false, tombstone };
  };
}

/** Seals a payment that is to be inserted. While no key can seal, one that the journal holds or has forgotten is found. */
async function sealOrFind(
  record: JournalRecord,
  sealer: ValueSealer,
  find?: FindExisting,
): Promise<
  | { readonly sealed: JournalRecord; readonly found?: undefined }
  | { readonly sealed?: undefined; readonly found: JournalInsertion }
> {
  try {
    return { sealed: await sealRecord(record, sealer) };
  } catch (error) {
    const found = await find?.(record);
    if (found) return { found };
    throw error;
  }
}

async function openInserted(
  result: JournalInsertion & CountedPayment,
  record: JournalRecord,
  sealed: JournalRecord,
  sealer: ValueSealer,
): Promise<JournalInsertion & CountedPayment> {
  const { stored, inserted } = result;
  if (!stored) return result;
  const open = inserted ? openListed : openRecord;
  return { ...result, stored: await openWritten(stored, record, sealed, sealer, open) };
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

/**
 * Opens nothing if the store gives back what was just written.
 *
 * @param openOther Opens anything else. It must not reject if the record was written: nobody may take it for a failure.
 */
async function openWritten(
  stored: StoredJournalRecord,
  record: JournalRecord,
  sealed: JournalRecord,
  sealer: ValueSealer,
  openOther: typeof openRecord,
): Promise<StoredJournalRecord> {
  const isOurs = SEALED_FIELDS.every((field) => stored.record[field] === sealed[field]);
  const isReadable =
    isOurs && SEALED_FIELDS.every((field) => sealed[field] === undefined || sealed[field] !== record[field]);
  if (!isReadable) return openOther(stored, sealer);
  return { ...stored, record: { ...stored.record, ...pick(record) } };
}

function pick(record: JournalRecord): Partial<JournalRecord> {
  return Object.fromEntries(
    SEALED_FIELDS.flatMap((field) => (record[field] === undefined ? [] : [[field, record[field]]])),
  );
}

/**
 * Opens a record. If a field does not open, the record is damaged: nothing is ever sent for it. The field stays
 * sealed, and a change of the record writes it back as it is, so that it opens once its key is back. Rejects with a
 * `KeyServiceError` if a key cannot be had now.
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
    if (!text) continue;
    const result = await sealer.open(text, placeOf(record, field), field);
    opened[field] = result.text ?? text;
    damaged ??= result.problem;
  }
  const whole = { ...stored, record: { ...record, ...opened } };
  return damaged === undefined ? whole : { ...whole, damaged };
}

/**
 * Why nobody can read a record as a store gave it; undefined if somebody can. An encryption has opened every field or says why
 * not, so a field is still sealed only if the account has none: its hash then equals that of no request.
 */
export function unreadable({ record, damaged }: StoredJournalRecord): string | undefined {
  if (damaged !== undefined) return damaged;
  return SEALED_FIELDS.some((field) => record[field] && isSealed(record[field]))
    ? SEALED_WITHOUT_KEYS
    : undefined;
}

/** Opens a record of a list. One whose key cannot be had now is damaged for now, and does not keep back the others. */
async function openListed(stored: StoredJournalRecord, sealer: ValueSealer): Promise<StoredJournalRecord> {
  try {
    return await openRecord(stored, sealer);
  } catch (error) {
    return { ...stored, damaged: cannotOpenNow(error), unavailable: true };
  }
}

/** Also what the payment is: another key or amount beside a sealed request makes it one that nobody can send. */
function placeOf(record: JournalRecord, field: string): SealedPlace {
  const { account, environment, family, reference, attempt, operation, amount, idempotencyKey } = record;
  const payment = [account, environment, family, reference, attempt, operation, amount, idempotencyKey];
  return ['journal', ...payment, field];
}
