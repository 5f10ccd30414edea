import { beforeEach, describe, expect, it } from 'vitest';
import { type JournalState } from '../../../../lib/common/vocabulary.js';
import { type JournalStore } from '../../../../lib/storage/journal-store.js';
import { oldestExcept } from '../../../../lib/journal/recovery/oldest-unresolved.js';
import { memoryStorage } from '../../../../lib/storage/memory/memory-storage.js';
import { allBut, journalRecord } from '../../../support/journal-contract.js';

describe('the oldest payment that is in other states than some', () => {
  let now: number;
  let journal: JournalStore;
  let pages: number;

  const write = async (reference: string, state: JournalState = 'unknown'): Promise<void> => {
    await journal.insert(journalRecord(reference, { state }), 0);
    now += 1_000;
  };
  const tryAnew = async (reference: string): Promise<void> => {
    const stored = await journal.get(journalRecord(reference));
    await journal.replace(stored!.version, { ...stored!.record, attempt: stored!.record.attempt + 1 }, 0);
    now += 1_000;
  };
  const oldest = async (
    state: JournalState = 'unknown',
  ): Promise<readonly [reference: string, ageMs: number] | undefined> => {
    const found = await oldestExcept(journal, journalRecord('any'), allBut(state));
    return found && [found.record.reference, found.ageMs];
  };

  beforeEach(() => {
    now = 1_800_000_000_000;
    pages = 0;
    const { journal: store } = memoryStorage({ now: () => now });
    journal = {
      insert: (record, leaseMs) => store.insert(record, leaseMs),
      get: (key) => store.get(key),
      tombstone: (key) => store.tombstone(key),
      endTombstone: (key, ended) => store.endTombstone(key, ended),
      replace: (version, record, leaseMs) => store.replace(version, record, leaseMs),
      remove: (key, version) => store.remove(key, version),
      purge: (scope, what, olderThanMs) => store.purge(scope, what, olderThanMs),
      accounts: (page) => store.accounts(page),
      list: (...request) => {
        pages += 1;
        return store.list(...request);
      },
    };
  });

  it('is undefined if every payment is in one of those states', async () => {
    await write('accepted-1', 'accepted');
    expect(await oldest()).toBeUndefined();
  });

  it('is found on the first page, however many there are', async () => {
    for (let count = 1; count <= 50; count += 1) await write(`order-${count}`);
    expect(await oldest()).toEqual(['order-1', 50_000]);
    expect(pages).toBe(1);
  });

  it('is not one that has a new attempt since, though it was written first', async () => {
    await write('order-1');
    await write('order-2');
    await write('order-3');
    await tryAnew('order-1');
    expect(await oldest()).toEqual(['order-2', 3_000]);
  });

  it('is looked for as far as needed', async () => {
    const many = Array.from({ length: 25 }, (_, index) => `order-${index + 1}`);
    for (const reference of many) await write(reference);
    for (const reference of many.slice(0, 24)) await tryAnew(reference);
    expect(await oldest()).toEqual(['order-25', 25_000]);
    expect(pages).toBe(3);
  });

  it('is compared with one that was found elsewhere', async () => {
    await write('older', 'in-flight');
    await write('younger');
    const found = await oldestExcept(journal, journalRecord('any'), allBut('in-flight'));
    expect(await oldestExcept(journal, journalRecord('any'), allBut('unknown'), found)).toBe(found);
    const last = await oldestExcept(journal, journalRecord('any'), allBut('unknown'));
    const both = await oldestExcept(journal, journalRecord('any'), allBut('in-flight'), last);
    expect(both?.record.reference).toBe('older');
  });
});
