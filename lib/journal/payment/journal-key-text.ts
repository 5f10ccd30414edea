import { type JournalKey } from '../../storage/journal-store.js';

/** A key as text: different for different payments, whatever stands in their references. */
export function journalKeyText({ account, environment, family, reference }: JournalKey): string {
  return `${environment} ${family} ${account.length} ${account} ${reference}`;
}
