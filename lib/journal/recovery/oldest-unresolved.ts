import { performance } from 'node:perf_hooks';
import { setImmediate } from 'node:timers/promises';
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
 * The payment whose outcome has been open for the longest time, of those that `oldestUnresolved()` has read.
 *
 * @publicApi
 */
export interface OldestUnresolved {
  /** The payment. */
  readonly entry: JournalEntry;
  /** Milliseconds since its current attempt was written down, by the store's clock; 0 if that was set back since. */
  readonly ageMs: number;
}

/** Usually enough. */
const FIRST_PAGE_SIZE = 10;
const PAGE_SIZE = 500;
/** After this time a look reads no further page. */
const LOOK_MS = 5_000;

/**
 * The payment of an account whose outcome has been open for the longest time, or `found` if that is older. After five
 * seconds it is the oldest of those that were read: the first page of each family always is.
 */
export async function oldestOf(
  store: JournalStore,
  scope: InboxScope,
  status: Pick<StatusResolver, 'canAsk'>,
  found?: StoredJournalRecord,
): Promise<StoredJournalRecord | undefined> {
  const until = performance.now() + LOOK_MS;
  let oldest = found;
  for (const family of PAYMENT_FAMILIES) {
    oldest = await oldestExcept(store, { ...scope, family }, closedStates(family, status), oldest, until);
  }
  return oldest;
}

/**
 * The payment in none of these states with the oldest current attempt, or `found` if that is older. Usually
 * reads one page: the list is in the order of `createdAt`, and only a payment with a later attempt is younger
 * than its position.
 *
 * @param until No further page is read after this, by `performance.now()`.
 */
export async function oldestExcept(
  store: JournalStore,
  scope: JournalScope,
  except: readonly JournalState[],
  found?: StoredJournalRecord,
  until = performance.now() + LOOK_MS,
): Promise<StoredJournalRecord | undefined> {
  let { entries, next } = await store.list(scope, except, { limit: FIRST_PAGE_SIZE });
  let oldest = found;
  for (;;) {
    for (const stored of entries) {
      if (oldest && sinceCreationMs(stored) <= openMs(oldest)) return oldest;
      if (!oldest || openMs(stored) > openMs(oldest)) oldest = stored;
    }
    if (next === undefined || performance.now() >= until) return oldest;
    // A store in this process answers at once, but webhooks and calls must get their turn.
    await setImmediate();
    ({ entries, next } = await store.list(scope, except, { limit: PAGE_SIZE, after: next }));
  }
}

/** Makes one look at a time: a call during a look gets its result, and so do many health checks at once. */
export function sharedLook<T>(look: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | undefined;
  return () => {
    running ??= look().finally(() => {
      running = undefined;
    });
    return running;
  };
}
