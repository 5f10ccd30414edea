import { describe, expect, it } from '@jest/globals';
import { type JournalStore, type StoredJournalRecord } from 'nestjs-payments';
import { conflictContract, inboxContract, journalContract } from 'nestjs-payments/testing';
import { MemoryDocuments, NONE, type Versioned } from '../src/documents.js';
import { openStorage } from './open-storage.js';

/** A write that does not compare: of two writers, the second one writes over the first. */
class LastWriterWins extends MemoryDocuments {
  override write(id: string, _version: number, next: Versioned): Promise<boolean> {
    this.stored.set(id, next);
    return Promise.resolve(true);
  }
}

/** An insert that writes over what is there, as a plain "put" of many databases does. */
class InsertsOverExisting extends MemoryDocuments {
  override write(id: string, version: number, next: Versioned): Promise<boolean> {
    if (version === NONE) this.stored.delete(id);
    return super.write(id, version, next);
  }
}

/** A delete that asks nobody. */
class DeletesAnyVersion extends MemoryDocuments {
  override remove(id: string): Promise<boolean> {
    return Promise.resolve(this.stored.delete(id));
  }
}

/** Changes what a journal gives back. */
function seenThrough(
  journal: JournalStore,
  change: (stored: StoredJournalRecord) => StoredJournalRecord,
): JournalStore {
  return {
    ...plain(journal),
    insert: async (record, leaseMs) => {
      const insertion = await journal.insert(record, leaseMs);
      return insertion.stored ? { ...insertion, stored: change(insertion.stored) } : insertion;
    },
    get: async (key) => {
      const stored = await journal.get(key);
      return stored && change(stored);
    },
  };
}

/** Its methods as fields, so that some can be others. */
function plain(journal: JournalStore): JournalStore {
  return {
    insert: (...given) => journal.insert(...given),
    get: (...given) => journal.get(...given),
    replace: (...given) => journal.replace(...given),
    remove: (...given) => journal.remove(...given),
    list: (...given) => journal.list(...given),
    tombstone: (...given) => journal.tombstone(...given),
    endTombstone: (...given) => journal.endTombstone(...given),
    purge: (...given) => journal.purge(...given),
    accounts: (...given) => journal.accounts(...given),
  };
}

/** Paid twice: the next call would send the refused attempt with a new key. */
const dropsKeepsKey = (journal: JournalStore): JournalStore =>
  seenThrough(journal, (stored) => {
    const { keepsKey: _, ...record } = stored.record;
    return { ...stored, record };
  });

/** A planned payment that nobody would send. */
const listsNoPlanned = (journal: JournalStore): JournalStore => ({
  ...plain(journal),
  list: (scope, except, page) => journal.list(scope, [...except, 'planned'], page),
});

/** A list of all payments, where those from a time on were asked for. */
const ignoresFrom = (journal: JournalStore): JournalStore => ({
  ...plain(journal),
  list: (scope, except, { from: _, ...page }) => journal.list(scope, except, page),
});

/** A planned payment that nobody would send, and that could be made again. */
const purgesPlanned = (journal: JournalStore): JournalStore => ({
  ...plain(journal),
  purge: async (scope, what, olderThanMs) => {
    for (const family of ['collection', 'disbursement'] as const) {
      const { entries } = await journal.list({ ...scope, family }, [], { limit: 99 });
      for (const { record, version, idleMs } of entries) {
        if (record.state === 'planned' && idleMs > olderThanMs) await journal.remove(record, version);
      }
    }
    return journal.purge(scope, what, olderThanMs);
  },
});

/** A planned payment that waits for a lease that nobody has. */
const leasesAll = (journal: JournalStore): JournalStore => ({
  ...plain(journal),
  insert: (record, leaseMs) => journal.insert(record, leaseMs || 60_000),
});

/** Compares, and then removes what is there meanwhile. */
const removesLater = (journal: JournalStore): JournalStore => ({
  ...plain(journal),
  remove: async (key, version) => {
    if ((await journal.get(key))?.version !== version) return false;
    const later = await journal.get(key);
    return later !== undefined && journal.remove(key, later.version);
  },
});

/** Compares, and then purges what is there meanwhile. */
const purgesLater = (journal: JournalStore): JournalStore => ({
  ...plain(journal),
  purge: async (scope, what, olderThanMs) => {
    const { entries } = await journal.list({ ...scope, family: 'collection' }, [], { limit: 99 });
    const old = entries.filter(({ record, idleMs }) => record.state === what && idleMs > olderThanMs);
    await Promise.resolve();
    for (const { record } of old) {
      const later = await journal.get(record);
      if (later) await journal.replace(later.version, record, 0);
    }
    return journal.purge(scope, what, old.length > 0 ? -1 : olderThanMs);
  },
});

/** The titles of the contracts' tests that fail. */
async function failures(
  documents: () => MemoryDocuments,
  fault: (journal: JournalStore) => JournalStore = (journal) => journal,
): Promise<string[]> {
  const tests: { readonly name: string; readonly run: () => Promise<void> }[] = [];
  const framework = {
    describe: (_name: string, register: () => void) => {
      register();
    },
    it: (name: string, run: () => Promise<void>) => tests.push({ name, run }),
    expect,
  };
  for (const contract of [journalContract, inboxContract, conflictContract]) {
    contract(framework, () => {
      const storage = openStorage(documents());
      return { ...storage, journal: fault(storage.journal) };
    });
  }
  expect(tests.length).toBeGreaterThan(70);
  const failed: string[] = [];
  for (const { name, run } of tests) {
    await run().catch(() => failed.push(name));
  }
  return failed;
}

describe('what the contracts notice', () => {
  it('nothing, without a fault', async () => {
    expect(await failures(() => new MemoryDocuments())).toEqual([]);
  });

  it.each([
    ['a write that does not compare', LastWriterWins, 'lets one of many replace the same version'],
    [
      'an insert over what is there',
      InsertsOverExisting,
      'lets one of many take a delivery at the same time',
    ],
    ['a delete that asks nobody', DeletesAnyVersion, 'removes only the current version'],
  ])('%s', async (_fault, Faulty, notices) => {
    expect(await failures(() => new Faulty())).toContain(notices);
  });

  it.each([
    ['a read that drops a field', dropsKeepsKey, 'gives back a record as it was written, with every field'],
    ['a list without planned payments', listsNoPlanned, 'lists what is planned, and nothing else'],
    [
      'a list that does not know from',
      ignoresFrom,
      'lists only the payments that were created at a time or later, page by page',
    ],
    [
      'a purge of planned payments',
      purgesPlanned,
      'purges settled payments of one account that did not change for long, and nothing else',
    ],
    [
      'a lease that nobody asked for',
      leasesAll,
      'lets any process act on a payment that is written down without a lease',
    ],
    [
      'a remove that reads first, and removes what came meanwhile',
      removesLater,
      'removes a payment, or replaces it, if both are asked for at the same time',
    ],
    [
      'a purge that reads first, and forgets what came meanwhile',
      purgesLater,
      'purges a payment, or replaces it, if both are asked for at the same time',
    ],
  ])('%s', async (_fault, fault, notices) => {
    expect(await failures(() => new MemoryDocuments(), fault)).toContain(notices);
  });
});
