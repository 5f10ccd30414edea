import {
  type JournalScope,
  type JournalState,
  type JournalStore,
  type StoredJournalRecord,
} from '../common/journal-port.js';

const PAGE_SIZE = 100;

/**
 * Reads every payment in these states, page by page, each reference once. In the order in which a payment moves through
 * the states, so that none slips by.
 */
export async function* scanJournal(
  store: JournalStore,
  scope: JournalScope,
  states: readonly JournalState[],
): AsyncGenerator<StoredJournalRecord, void, undefined> {
  const seen = new Set<string>();
  for (const state of states) {
    let after: string | undefined;
    do {
      const page = await store.list(scope, state, {
        limit: PAGE_SIZE,
        ...(after !== undefined && { after }),
      });
      for (const stored of page.entries) {
        if (seen.has(stored.record.reference)) continue;
        seen.add(stored.record.reference);
        yield stored;
      }
      after = page.next;
    } while (after !== undefined);
  }
}
