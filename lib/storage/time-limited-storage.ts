import { type ConflictStore } from './conflict-store.js';
import { type JournalStore } from './journal-store.js';
import { type ClaimResult, type InboxClaim, type InboxStore } from './inbox-store.js';
import { type PaymentsStorage } from './payments-storage.js';
import { PaymentsStorageError } from '../errors/payments-errors.js';
import { isInProcess } from './memory/memory-storage.js';

/** How long a storage may take for one answer. */
export const STORAGE_ANSWERS_WITHIN_MS = 5_000;

/**
 * Rejects a call that the storage does not answer within five seconds. The storage may still carry the call out. A
 * purge has no limit.
 */
export function timeLimited(storage: PaymentsStorage): Omit<PaymentsStorage, 'close'> {
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
        return withLimits(await inTime(claiming));
      } catch (error) {
        // Nobody uses a claim that comes too late: ended, it does not keep the next delivery waiting for its lease.
        claiming.then(failClaim).catch(() => undefined);
        throw error;
      }
    },
    waitForRelease: (key, timeoutMs) => inTime(inbox.waitForRelease(key, timeoutMs), timeoutMs),
    purge: (scope, olderThanMs) => inbox.purge(scope, olderThanMs),
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
    mark: (handler) => inTime(claim.mark(handler)),
    finish: () => inTime(claim.finish()),
    fail: () => inTime(claim.fail()),
    withdraw: () => inTime(claim.withdraw()),
  };
}

async function failClaim(result: ClaimResult): Promise<void> {
  if (result.result === 'claimed') await result.claim.fail();
}

function limitedJournal(journal: JournalStore): JournalStore {
  return {
    insert: (record, leaseMs) => inTime(journal.insert(record, leaseMs)),
    get: (key) => inTime(journal.get(key)),
    tombstone: (key) => inTime(journal.tombstone(key)),
    endTombstone: (key, ended) => inTime(journal.endTombstone(key, ended)),
    replace: (version, record, leaseMs) => inTime(journal.replace(version, record, leaseMs)),
    remove: (key, version) => inTime(journal.remove(key, version)),
    list: (scope, except, page) => inTime(journal.list(scope, except, page)),
    purge: (scope, what, olderThanMs) => journal.purge(scope, what, olderThanMs),
  };
}

function limitedConflicts(conflicts: ConflictStore): ConflictStore {
  return {
    setAside: (delivery) => inTime(conflicts.setAside(delivery)),
    list: (scope, page) => inTime(conflicts.list(scope, page)),
    get: (scope, id) => inTime(conflicts.get(scope, id)),
    remove: (scope, id) => inTime(conflicts.remove(scope, id)),
    purge: (scope, kind, olderThanMs) => conflicts.purge(scope, kind, olderThanMs),
  };
}

/** @param waitsMs How long the storage waits by itself before it answers. */
async function inTime<T>(work: Promise<T>, waitsMs = 0): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      reject(new PaymentsStorageError(`The storage did not answer within ${STORAGE_ANSWERS_WITHIN_MS} ms.`));
    }, STORAGE_ANSWERS_WITHIN_MS + waitsMs).unref();
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
