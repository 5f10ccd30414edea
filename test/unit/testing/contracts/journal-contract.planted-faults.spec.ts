import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { dailyCapContract, journalContract } from 'nestjs-payments/testing';
import {
  type DailyCapStore,
  type JournalKey,
  type JournalRecord,
  type JournalStore,
  type StoredJournalRecord,
} from '../../../../lib/storage/journal-store.js';
import { firstBytes, stillStorage, testFails, withFault } from '../../../support/planted-contract-faults.js';

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

/** Keys that a store folds, as many databases compare and cut texts. */
const folds =
  (fold: (reference: string) => string): Faulty<JournalStore> =>
  (journal) => {
    const known = new Map<string, string>();
    return {
      insert: (record, leaseMs) => {
        const reference = known.get(fold(record.reference)) ?? record.reference;
        known.set(fold(record.reference), reference);
        return journal.insert({ ...record, reference }, leaseMs);
      },
    };
  };

const cutsTexts: Faulty<JournalStore> = (journal) => {
  const cut = (record: JournalRecord): JournalRecord => ({
    ...record,
    ...(record.body !== undefined && { body: firstBytes(record.body, 65_535) }),
  });
  return {
    insert: (record, leaseMs) => journal.insert(cut(record), leaseMs),
    replace: (version, record, leaseMs) => journal.replace(version, cut(record), leaseMs),
  };
};

/** Keeps when a lease ends, and compares it with a clock that may have been set back. */
const revivesLeases: Faulty<JournalStore> = (journal) => {
  const until = new Map<string, number>();
  const timeOf = ({ updatedAt, idleMs }: StoredJournalRecord): number => updatedAt + idleMs;
  const seen = (stored: StoredJournalRecord): StoredJournalRecord => {
    const endsAt = until.get(stored.record.reference) ?? 0;
    return { ...stored, leaseLeftMs: Math.max(0, endsAt - timeOf(stored)) };
  };
  const written = (stored: StoredJournalRecord, leaseMs: number): StoredJournalRecord => {
    until.set(stored.record.reference, timeOf(stored) + leaseMs);
    return seen(stored);
  };
  return {
    insert: async (record, leaseMs) => {
      const result = await journal.insert(record, leaseMs);
      if (!result.stored) return result;
      return { ...result, stored: result.inserted ? written(result.stored, leaseMs) : seen(result.stored) };
    },
    replace: async (version, record, leaseMs) => {
      const stored = await journal.replace(version, record, leaseMs);
      return stored && written(stored, leaseMs);
    },
    get: async (key) => {
      const stored = await journal.get(key);
      return stored && seen(stored);
    },
    list: async (...given) => {
      const page = await journal.list(...given);
      return { ...page, entries: page.entries.map(seen) };
    },
  };
};

const withoutAccents = (text: string): string => text.normalize('NFD').replace(/\p{M}/gu, '');

const ALIKE = 'keeps references apart that are only alike, also those that come at the same time';
const ALIKE_FORGOTTEN = 'writes a payment down whose reference is only like one that was forgotten';
const LEASES = 'says the same of version, times and lease to whom comes second, in get and in the list';
const SET_BACK = 'revives no lease that has ended, and makes none longer, if its clock is set back';
const PURGES_SETTLED =
  'purges settled payments of one account that did not change for long, and nothing else';

describe('the contract of journals', () => {
  it.each<readonly [string, Faulty<JournalStore>, string]>([
    ['a second insert that hides the lease of the first', losingInsertSays({ leaseLeftMs: 0 }), LEASES],
    ['a second insert that invents an age', losingInsertSays({ ageMs: 1_000_000_000 }), LEASES],
    ['a second insert with another version', losingInsertSays({ version: 0 }), LEASES],
    ['a replacement that stores no lease', replaceStores(() => 0), LEASES],
    ['a replacement that ends no lease', replaceStores((leaseMs) => leaseMs || 90_000), LEASES],
    ['a lease that a clock which was set back revives', revivesLeases, SET_BACK],
    ['a list without leases', listSays({ leaseLeftMs: 0 }), LEASES],
    ['a list without versions', listSays({ version: 0 }), LEASES],
    ['a list without ages', listSays({ ageMs: 0 }), LEASES],
    ['keys without case', folds((reference) => reference.toLowerCase()), ALIKE],
    ['keys without white space at the end', folds((reference) => reference.trimEnd()), ALIKE],
    ['keys without accents', folds(withoutAccents), ALIKE],
    ['keys that are normalized', folds((reference) => reference.normalize()), ALIKE],
    ['keys that are cut', folds((reference) => reference.slice(0, 254)), ALIKE],
    ['tombstones without case', folds((reference) => reference.toLowerCase()), ALIKE_FORGOTTEN],
    ['texts that are cut', cutsTexts, 'gives back a request and an answer of 64 KiB as they were written'],
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

/** Reads the counter, and writes it back later: what was counted meanwhile is lost. */
const givesBackTooMuch: Faulty<DailyCapStore> = (caps) => {
  let lost: number[] | undefined;
  return {
    insert: async (record, leaseMs, share) => {
      const result = await caps.insert(record, leaseMs, share);
      if ('countedOn' in result && result.countedOn !== undefined) lost?.push(share.cents);
      return result;
    },
    release: async (scope, day, cents) => {
      const mine: number[] = [];
      lost = mine;
      await nextTurn();
      lost = undefined;
      await caps.release(scope, day, cents);
      for (const each of mine) await caps.release(scope, day, each);
    },
  };
};

const givesBackOnce: Faulty<DailyCapStore> = (caps) => {
  let giving: Promise<void> | undefined;
  return {
    release: (...given) =>
      (giving ??= caps.release(...given).finally(() => {
        giving = undefined;
      })),
  };
};

/** Counts in a column of 32 bits, which wraps. */
const wraps: Faulty<DailyCapStore> = (caps) => {
  let sum = 0;
  return {
    insert: async (record, leaseMs, share) => {
      const lost = Math.floor(sum / 2 ** 31) * 2 ** 31;
      const maxCents = share.maxCents === undefined ? undefined : share.maxCents + lost;
      const result = await caps.insert(record, leaseMs, { ...share, maxCents });
      if ('countedOn' in result && result.countedOn !== undefined) sum += share.cents;
      return result;
    },
  };
};

const CAP_LEASES = 'writes the lease and the times that every reader gets';

describe('the contract of daily caps', () => {
  it.each<readonly [string, Faulty<DailyCapStore>, string]>([
    [
      'an insert that writes no lease',
      (caps) => ({ insert: (record, _leaseMs, share) => caps.insert(record, 0, share) }),
      CAP_LEASES,
    ],
    [
      'a replacement that writes no lease',
      (caps) => ({ replace: (version, record, _leaseMs, share) => caps.replace(version, record, 0, share) }),
      CAP_LEASES,
    ],
    [
      'a replacement that ends no lease',
      (caps) => ({
        replace: (version, record, leaseMs, share) => caps.replace(version, record, leaseMs || 90_000, share),
      }),
      CAP_LEASES,
    ],
    [
      'payments that are not counted while one is given back',
      givesBackTooMuch,
      'gives back a payment while others come, and counts every one of them',
    ],
    [
      'one of two that are given back at the same time',
      givesBackOnce,
      'gives back each of two payments that are given back at the same time',
    ],
    ['a sum that wraps', wraps, 'counts sums that no number of 32 bits holds'],
  ])('notices %s', async (_name, fault, title) => {
    const fails = (planted: Faulty<DailyCapStore>): Promise<boolean> =>
      testFails(title, (framework) => {
        dailyCapContract(framework, () => {
          const { journal, pass } = stillStorage();
          const caps = journal.dailyCaps!;
          return { journal: withFault(journal, { dailyCaps: withFault(caps, planted(caps)) }), pass };
        });
      });
    expect(await fails(fault)).toBe(true);
    expect(await fails(() => ({}))).toBe(false);
  });
});
