import { type JournalEntry } from '../../common/journal-entry.js';
import {
  type JournalScope,
  type JournalStore,
  type StoredJournalRecord,
} from '../../storage/journal-store.js';
import { type InboxScope, type JournalState, PAYMENT_FAMILIES } from '../../common/vocabulary.js';
import { type StatusResolver } from '../outcomes/status-resolver.js';
import { closedStates, openMs, sinceCreationMs } from './recovery-decision.js';

/**
 * The payment whose outcome has been open for the longest time.
 *
 * @publicApi
 */
export interface OldestUnresolved {
  /** The payment. */
  readonly entry: JournalEntry;
  /** Milliseconds since its current attempt was written down, by the store's clock. */
  readonly ageMs: number;
}

const PAGE_SIZE = 10;

/** The payment of an account whose outcome has been open for the longest time, or `found` if that is older. */
export async function oldestOf(
  store: JournalStore,
  scope: InboxScope,
  status: Pick<StatusResolver, 'canAsk'>,
  found?: StoredJournalRecord,
): Promise<StoredJournalRecord | undefined> {
  let oldest = found;
  for (const family of PAYMENT_FAMILIES) {
    oldest = await oldestExcept(store, { ...scope, family }, closedStates(family, status), oldest);
  }
  return oldest;
}

/**
 * The payment in none of these states with the oldest current attempt, or `found` if that is older. Usually
 * reads one page: the list is in the order of `createdAt`, and only a payment with a later attempt is younger
 * than its position.
 */
export async function oldestExcept(
  store: JournalStore,
  scope: JournalScope,
  except: readonly JournalState[],
  found?: StoredJournalRecord,
): Promise<StoredJournalRecord | undefined> {
  let oldest = found;
  let after: string | undefined;
  do {
    const page = await store.list(scope, except, { limit: PAGE_SIZE, ...(after !== undefined && { after }) });
    for (const stored of page.entries) {
      if (oldest && sinceCreationMs(stored) <= openMs(oldest)) return oldest;
      if (!oldest || openMs(stored) > openMs(oldest)) oldest = stored;
    }
    after = page.next;
  } while (after !== undefined);
  return oldest;
}
