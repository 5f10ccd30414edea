import { describe, expect, it } from 'vitest';
import { dailyCapContract, journalContract } from 'nestjs-payments/testing';
import {
  type DailyCapStore,
  type JournalKey,
  type JournalStore,
  type StoredJournalRecord,
} from '../../../../lib/storage/journal-store.js';
import { stillStorage, testFails, withFault } from '../../../support/planted-contract-faults.js';

type Faulty<Store> = (store: Store) => Partial<Store>;

const losingInsertSays =
  (wrong: Partial<StoredJournalRecord>): Faulty<JournalStore> =>
  (journal) => ({
    insert: async (...given) => {
      const result = await journal.insert(...given);
      return result.inserted || !result.stored
        ? result
        : { ...result, stored: { ...result.stored, ...wrong } };
    },
  });

const listSays =
  (wrong: Partial<StoredJournalRecord>): Faulty<JournalStore> =>
  (journal) => ({
    list: async (...given) => {
      const page = await journal.list(...given);
      return { ...page, entries: page.entries.map((entry) => ({ ...entry, ...wrong })) };
    },
  });

/** Answers with the lease that was asked for, and stores another one. */
const replaceStores =
  (storedMs: (leaseMs: number) => number): Faulty<JournalStore> =>
  (journal) => ({
    replace: async (version, record, leaseMs) => {
      const stored = await journal.replace(version, record, storedMs(leaseMs));
      return stored && { ...stored, leaseLeftMs: leaseMs };
    },
  });

/** A page begins after the time at which the last one ended, so the others of that time are lost. */
const pagesByTime: Faulty<JournalStore> = (journal) => ({
  list: async (scope, except, { after, limit }) => {
    const { entries } = await journal.list(scope, except, { limit: 1_000 });
    const rest = entries.filter(({ createdAt }) => after === undefined || createdAt > Number(after));
    const page = rest.slice(0, limit);
    const last = page.at(-1);
    return rest.length > limit && last ? { entries: page, next: String(last.createdAt) } : { entries: page };
  },
});

const bothEnvironments = ['sandbox', 'production'] as const;

const purgesEveryEnvironment =
  (isFaulty: (what: string) => boolean): Faulty<JournalStore> =>
  (journal) => ({
    purge: async (scope, what, olderThanMs) => {
      if (!isFaulty(what)) return journal.purge(scope, what, olderThanMs);
      const own = await journal.purge(scope, what, olderThanMs);
      for (const environment of bothEnvironments) {
        await journal.purge({ ...scope, environment }, what, olderThanMs);
      }
      return own;
    },
  });

const otherFamily = (key: JournalKey): JournalKey => ({
  ...key,
  family: key.family === 'collection' ? 'disbursement' : 'collection',
});

const tombstonesOfBothFamilies: Faulty<JournalStore> = (journal) => ({
  tombstone: async (key) => (await journal.tombstone(key)) ?? journal.tombstone(otherFamily(key)),
});

const LEASES = 'says the same of version, times and lease to whom comes second, in get and in the list';
const PURGES_SETTLED =
  'purges settled payments of one account that did not change for long, and nothing else';

describe('the contract of journals', () => {
  it.each<readonly [string, Faulty<JournalStore>, string]>([
    ['a second insert that hides the lease of the first', losingInsertSays({ leaseLeftMs: 0 }), LEASES],
    ['a second insert that invents an age', losingInsertSays({ ageMs: 1_000_000_000 }), LEASES],
    ['a second insert with another version', losingInsertSays({ version: 0 }), LEASES],
    ['a replacement that stores no lease', replaceStores(() => 0), LEASES],
    ['a replacement that ends no lease', replaceStores((leaseMs) => leaseMs || 90_000), LEASES],
    ['a list without leases', listSays({ leaseLeftMs: 0 }), LEASES],
    ['a list without versions', listSays({ version: 0 }), LEASES],
    ['a list without ages', listSays({ ageMs: 0 }), LEASES],
    ['pages by time', pagesByTime, 'lists payments that were created at the same time, 1 a page, each once'],
    ['pages by time', pagesByTime, 'lists payments that were created at the same time, 7 a page, each once'],
    ['a purge in every environment', purgesEveryEnvironment((what) => what === 'settled'), PURGES_SETTLED],
    [
      'a purge of refused payments in every environment',
      purgesEveryEnvironment((what) => what === 'rejected'),
      'purges rejected if it is asked to, and nothing else',
    ],
    [
      'a purge of accepted payouts in every environment',
      purgesEveryEnvironment((what) => what === 'accepted-payouts'),
      'purges accepted-payouts if it is asked to, and nothing else',
    ],
    [
      'a purge of tombstones in every environment',
      purgesEveryEnvironment((what) => what === 'tombstones'),
      'purges old tombstones if it is asked to',
    ],
    [
      'a tombstone that is found under the other family',
      tombstonesOfBothFamilies,
      'keeps a tombstone of a payment that it forgot, {"state":"rejected","attempt":3}, which nothing is written over',
    ],
  ])('notices %s', async (_name, fault, title) => {
    const fails = (planted: Faulty<JournalStore>): Promise<boolean> =>
      testFails(title, (framework) => {
        journalContract(framework, () => {
          const { journal, pass } = stillStorage();
          return { journal: withFault(journal, planted(journal)), pass };
        });
      });
    expect(await fails(fault)).toBe(true);
    expect(await fails(() => ({}))).toBe(false);
  });
});

describe('the contract of daily caps', () => {
  it.each<readonly [string, Faulty<DailyCapStore>]>([
    [
      'an insert that writes no lease',
      (caps) => ({ insert: (record, _leaseMs, share) => caps.insert(record, 0, share) }),
    ],
    [
      'a replacement that writes no lease',
      (caps) => ({ replace: (version, record, _leaseMs, share) => caps.replace(version, record, 0, share) }),
    ],
    [
      'a replacement that ends no lease',
      (caps) => ({
        replace: (version, record, leaseMs, share) => caps.replace(version, record, leaseMs || 90_000, share),
      }),
    ],
  ])('notices %s', async (_name, fault) => {
    const fails = await testFails('writes the lease and the times that everybody reads', (framework) => {
      dailyCapContract(framework, () => {
        const { journal, pass } = stillStorage();
        const caps = journal.dailyCaps!;
        return { journal: withFault(journal, { dailyCaps: withFault(caps, fault(caps)) }), pass };
      });
    });
    expect(fails).toBe(true);
  });
});
