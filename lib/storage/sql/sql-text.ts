import { type InboxKey } from '../inbox-store.js';
import { type JournalKey } from '../journal-store.js';

/**
 * Encodes any text for a database: PostgreSQL refuses U+0000, and a driver would write every lone surrogate as the
 * same replacement character. Different texts stay different, and most texts stay unchanged.
 */
export function toSqlText(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

export function fromSqlText(stored: string): string {
  return stored.includes('\\') ? (JSON.parse(`"${stored}"`) as string) : stored;
}

/** The columns of an entry's key. */
export function inboxKeyValues({ account, environment, kind, reference }: InboxKey): readonly string[] {
  return [account, environment, kind, toSqlText(reference)];
}

/** The columns of a payment's key. */
export function journalKeyValues({ account, environment, family, reference }: JournalKey): readonly string[] {
  return [account, environment, family, toSqlText(reference)];
}
