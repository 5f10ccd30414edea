import { setImmediate } from 'node:timers/promises';
import {
  type JournalScope,
  type JournalState,
  type JournalStore,
  type StoredJournalRecord,
} from '../common/journal-port.js';

const PAGE_SIZE = 500;

/** Some payments, and where the page with them begins. */
interface ScannedPage {
  readonly entries: readonly StoredJournalRecord[];
  readonly at: string | undefined;
}

/**
 * Reads every payment that is in none of these states, page by page, in the order in which they were written down: so none comes
 * twice and none slips by while it changes its state, and nothing but the page is held in memory.
 *
 * @param after Where to begin: `at` of a page.
 */
export async function* scanPages(
  store: JournalStore,
  scope: JournalScope,
  except: readonly JournalState[],
  after?: string,
): AsyncGenerator<ScannedPage, void, undefined> {
  let at = after;
  do {
    const page = await store.list(scope, except, {
      limit: PAGE_SIZE,
      ...(at !== undefined && { after: at }),
    });
    yield { entries: page.entries, at };
    at = page.next;
    // A store in this process answers at once: webhooks and calls must get their turn all the same.
    await setImmediate();
  } while (at !== undefined);
}
