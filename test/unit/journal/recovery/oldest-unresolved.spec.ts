import { performance } from 'node:perf_hooks';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type JournalState } from '../../../../lib/common/vocabulary.js';
import { type JournalStore } from '../../../../lib/storage/journal-store.js';
import { oldestExcept, oldestOf } from '../../../../lib/journal/recovery/oldest-unresolved.js';
import { PaymentsJournal } from '../../../../lib/journal/payments-journal.js';
import { PaymentsStorageError } from '../../../../lib/errors/payments-errors.js';
import { memoryStorage } from '../../../../lib/storage/memory/memory-storage.js';
import { allBut, journalRecord } from '../../../support/journal-contract.js';

type JournalParts = ConstructorParameters<typeof PaymentsJournal>;

describe('the oldest payment that is in other states than some', () => {
  let now: number;
  let journal: JournalStore;
  let limits: number[];

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
    limits = [];
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
        limits.push(request[2].limit);
        return store.list(...request);
      },
    };
  });
  afterEach(() => {
    vi.restoreAllMocks();
  });

  it('is undefined if every payment is in one of those states', async () => {
    await write('accepted-1', 'accepted');
    expect(await oldest()).toBeUndefined();
  });

  it('is found on the first page, however many there are', async () => {
    for (let count = 1; count <= 50; count += 1) await write(`order-${count}`);
    expect(await oldest()).toEqual(['order-1', 50_000]);
    expect(limits).toEqual([10]);
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
    expect(limits).toEqual([10, 500]);
  });

  it('is looked for in large pages after the first one', async () => {
    const many = Array.from({ length: 520 }, (_, index) => `order-${index + 1}`);
    for (const reference of many) await write(reference);
    for (const reference of many.slice(0, 519)) await tryAnew(reference);
    expect(await oldest()).toEqual(['order-520', 520_000]);
    expect(limits).toEqual([10, 500, 500]);
  });

  it('is the oldest of those that five seconds show, if there are more', async () => {
    const many = Array.from({ length: 1_100 }, (_, index) => `order-${index + 1}`);
    for (const reference of many) await write(reference);
    for (const reference of many) await tryAnew(reference);
    vi.spyOn(performance, 'now').mockImplementation(() => limits.length * 2_499);
    expect(await oldest()).toEqual(['order-1', 1_100_000]);
    expect(limits).toEqual([10, 500, 500]);
  });

  it('is also looked for among the payouts if the collections took all the time', async () => {
    const many = Array.from({ length: 20 }, (_, index) => `order-${index + 1}`);
    for (const reference of many) await write(reference);
    await journal.insert(
      journalRecord('payout', { family: 'disbursement', operation: 'disbursement.bank', state: 'unknown' }),
      0,
    );
    now += 1_000;
    for (const reference of many) await tryAnew(reference);
    vi.spyOn(performance, 'now').mockImplementation(() => limits.length * 5_000);
    const found = await oldestOf(journal, journalRecord('any'), { canAsk: () => false });
    expect(found?.record.reference).toBe('payout');
    expect(limits).toEqual([10, 10]);
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

describe('the oldest unresolved payment', () => {
  let looks: { readonly resolve: (oldest: undefined) => void; readonly reject: (error: Error) => void }[];
  let journal: Pick<PaymentsJournal, 'oldestUnresolved'>;

  beforeEach(() => {
    looks = [];
    const recovery = { oldest: () => new Promise((resolve, reject) => looks.push({ resolve, reject })) };
    const others = [undefined, undefined, recovery, undefined, undefined, undefined] as never[];
    journal = new PaymentsJournal(...([journalRecord('any'), ...others] as unknown as JournalParts));
  });

  it('is looked for once for all calls during the look, and again after it', async () => {
    const calls = [journal.oldestUnresolved(), journal.oldestUnresolved()];
    expect(looks).toHaveLength(1);
    looks[0]?.resolve(undefined);
    expect(await Promise.all(calls)).toEqual([undefined, undefined]);
    void journal.oldestUnresolved();
    expect(looks).toHaveLength(2);
  });

  it('is looked for again after a look that failed', async () => {
    const calls = Promise.allSettled([journal.oldestUnresolved(), journal.oldestUnresolved()]);
    expect(looks).toHaveLength(1);
    looks[0]?.reject(new PaymentsStorageError('away'));
    expect(await calls).toMatchObject(Array(2).fill({ status: 'rejected', reason: { message: 'away' } }));
    const next = journal.oldestUnresolved();
    looks[1]?.resolve(undefined);
    expect(await next).toBeUndefined();
  });
});
