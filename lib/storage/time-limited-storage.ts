import { performance } from 'node:perf_hooks';
import { withTimeout } from '../common/timing.js';
import { accountsIn } from './account-page.js';
import { type ConflictStore } from './conflict-store.js';
import { type JournalStore } from './journal-store.js';
import { type ClaimResult, type InboxClaim, type InboxStore } from './inbox-store.js';
import { type PaymentsStorage } from './payments-storage.js';
import { PaymentsStorageError } from '../errors/payments-errors.js';
import { isInProcess } from './memory/memory-storage.js';

/** How long a storage may take for one answer. */
export const STORAGE_ANSWERS_WITHIN_MS = 5_000;

/** A storage for what plans and counts no payments: who does that limits its own time. */
export interface TimeLimitedStorage extends Omit<PaymentsStorage, 'open' | 'close' | 'journal'> {
  readonly journal: LimitedJournal;
}

/** Without what a time limit would need to wrap, too. */
type LimitedJournal = Omit<JournalStore, 'dailyCaps' | 'within'>;

/**
 * Rejects a call that the storage does not answer within five seconds. The storage may still carry the call out. A
 * purge has no limit.
 */
export function timeLimited(storage: PaymentsStorage): TimeLimitedStorage {
  if (isInProcess(storage)) return storage;
  return {
    name: storage.name,
    inbox: limitedInbox(storage.inbox),
    journal: limitedJournal(storage.journal),
    conflicts: limitedConflicts(storage.conflicts),
  };
}

function limitedInbox(inbox: InboxStore): InboxStore {
  return {
    claim: async (delivery, leaseMs) => {
      const claiming = inbox.claim(delivery, leaseMs);
      try {
        return withLimits(await limited(claiming));
      } catch (error) {
        // Nobody uses a claim that comes too late: ended, it does not keep the next delivery waiting for its lease.
        claiming.then(failClaim).catch(() => undefined);
        throw error;
      }
    },
    waitForRelease: (key, timeoutMs) => limited(inbox.waitForRelease(key, timeoutMs), timeoutMs),
    purge: (scope, olderThanMs) => inbox.purge(scope, olderThanMs),
    accounts: (page) => limited(accountsIn(inbox, 'inbox', page)),
  };
}

function withLimits(result: ClaimResult): ClaimResult {
  return result.result === 'claimed' ? { ...result, claim: limitedClaim(result.claim) } : result;
}

function limitedClaim(claim: InboxClaim): InboxClaim {
  const { attempt, finished, transaction, journal } = claim;
  return {
    attempt,
    finished,
    ...(transaction !== undefined && { transaction }),
    ...(journal && { journal: limitedJournal(journal) }),
    ...(claim.within && { within: claim.within.bind(claim) }),
    mark: (handler) => limited(claim.mark(handler)),
    finish: () => limited(claim.finish()),
    fail: () => limited(claim.fail()),
    withdraw: () => limited(claim.withdraw()),
  };
}

async function failClaim(result: ClaimResult): Promise<void> {
  if (result.result === 'claimed') await result.claim.fail();
}

/** `Required`, so that a new optional member of the port has to be decided here. */
function limitedJournal(journal: JournalStore): Required<LimitedJournal> {
  return {
    insert: (record, leaseMs) => limited(journal.insert(record, leaseMs)),
    get: (key) => limited(journal.get(key)),
    tombstone: (key) => limited(journal.tombstone(key)),
    endTombstone: (key, ended) => limited(journal.endTombstone(key, ended)),
    replace: (version, record, leaseMs) => limited(journal.replace(version, record, leaseMs)),
    remove: (key, version) => limited(journal.remove(key, version)),
    list: (scope, except, page) => limited(journal.list(scope, except, page)),
    purge: (scope, what, olderThanMs) => journal.purge(scope, what, olderThanMs),
    accounts: (page) => limited(accountsIn(journal, 'journal', page)),
  };
}

function limitedConflicts(conflicts: ConflictStore): ConflictStore {
  return {
    setAside: (delivery) => limited(conflicts.setAside(delivery)),
    list: (scope, page) => limited(conflicts.list(scope, page)),
    get: (scope, id) => limited(conflicts.get(scope, id)),
    replacePayload: (entry, payload) => limited(conflicts.replacePayload(entry, payload)),
    remove: (scope, id) => limited(conflicts.remove(scope, id)),
    purge: (scope, kind, olderThanMs) => conflicts.purge(scope, kind, olderThanMs),
    accounts: (page) => limited(accountsIn(conflicts, 'conflicts', page)),
  };
}

/**
 * Waits for the storage as long as it may take to answer; the work itself continues.
 *
 * @param waitsMs How long the storage waits by itself before it answers.
 * @throws PaymentsStorageError
 */
export function limited<T>(work: Promise<T>, waitsMs = 0): Promise<T> {
  return withTimeout(work, performance.now() + STORAGE_ANSWERS_WITHIN_MS + waitsMs, late);
}

function late(): PaymentsStorageError {
  return new PaymentsStorageError(`The storage did not answer within ${STORAGE_ANSWERS_WITHIN_MS} ms.`);
}
