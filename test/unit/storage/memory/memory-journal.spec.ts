import { afterEach, describe, expect, it, vi } from 'vitest';
import { Logger } from '@nestjs/common';
import { inspect } from 'node:util';
import { type JournalPage, type JournalStore } from '../../../../lib/storage/journal-store.js';
import { type JournalState } from '../../../../lib/common/vocabulary.js';
import { memoryStorage } from '../../../../lib/storage/memory/memory-storage.js';
import { journalRecord, storedBy } from '../../../support/journal-contract.js';

describe('the journal of memoryStorage()', () => {
  it('looks at a record about once while all are listed, and at none that is far from what is asked for', async () => {
    const size = 5_000;
    let looks = 0;
    const journal = memoryStorage().journal;
    for (let number = 1; number <= size; number += 1) {
      const state: JournalState = number === size ? 'unknown' : 'settled';
      const record = journalRecord(`order-${number}`);
      Object.defineProperty(record, 'state', { get: () => ((looks += 1), state) });
      await journal.insert(record, 0);
    }
    const listed = async (except: readonly JournalState[]): Promise<number> => {
      let found = 0;
      for (let after: string | undefined; ;) {
        const page: JournalPage = await journal.list(journalRecord('any'), except, {
          limit: 50,
          ...(after && { after }),
        });
        found += page.entries.length;
        after = page.next;
        if (after === undefined) return found;
      }
    };
    looks = 0;
    expect(await listed([])).toBe(size);
    // At each page once more at the record that the next one begins with.
    expect(looks).toBeLessThan(1.1 * size);
    looks = 0;
    expect(await listed(['settled'])).toBe(1);
    expect(looks).toBeLessThan(size / 4);
  });

  it('gives no version twice, whatever is inserted and replaced in between', async () => {
    const { journal } = memoryStorage();
    const versions: number[] = [];
    for (const reference of ['order-1', 'order-2', 'order-3']) {
      versions.push(storedBy(await journal.insert(journalRecord(reference), 0)).version);
      const { version = 0 } = (await journal.get(journalRecord('order-1'))) ?? {};
      const replaced = await journal.replace(version, journalRecord('order-1'), 0);
      versions.push(replaced?.version ?? 0);
    }
    expect(new Set(versions).size).toBe(6);
  });

  it('keeps a payment that changed exactly as long ago as said, and purges an older one', async () => {
    let now = 1_800_000_000_000;
    const { journal } = memoryStorage({ now: () => now });
    await journal.insert(journalRecord('order-1', { state: 'settled', outcome: 'success' }), 0);
    now += 5_000;
    expect(await journal.purge(journalRecord('any'), 'settled', 5_000)).toBe(0);
    now += 1;
    expect(await journal.purge(journalRecord('any'), 'settled', 5_000)).toBe(1);
  });

  it('purges the tombstones of one account in one environment, even if it left none', async () => {
    let now = 1_800_000_000_000;
    const { journal } = memoryStorage({ now: () => now });
    const scopes = [
      { account: 'default', environment: 'sandbox', family: 'collection' },
      { account: 'default', environment: 'sandbox', family: 'disbursement' },
      { account: 'default', environment: 'production', family: 'collection' },
      { account: 'payouts', environment: 'sandbox', family: 'collection' },
    ] as const;
    const payments = scopes.map((scope) => journalRecord('order-1', { ...scope, state: 'rejected' }));
    for (const payment of payments) await journal.insert(payment, 0);
    expect(await journal.purge(scopes[0], 'tombstones', 0)).toBe(0);
    now += 10_000;
    for (const payment of payments) await journal.purge(payment, 'rejected', 5_000);
    now += 10_000;
    expect(await journal.purge(scopes[0], 'tombstones', 5_000)).toBe(2);
    const left = await Promise.all(payments.map((payment) => journal.tombstone(payment)));
    const tombstone = { attempt: 1, end: 'rejected' };
    expect(left).toEqual([undefined, undefined, tombstone, tombstone]);
  });

  it('writes down when a payment began by the clock of the process, unless it has another', async () => {
    const { journal } = memoryStorage();
    const before = Date.now();
    const { createdAt, updatedAt } = storedBy(await journal.insert(journalRecord('order-1'), 0));
    expect(createdAt).toBeGreaterThanOrEqual(before);
    expect(createdAt).toBeLessThanOrEqual(Date.now());
    expect(updatedAt).toBe(createdAt);
  });

  it('shows no personal data when it is logged', async () => {
    const { journal } = memoryStorage();
    await journal.insert(journalRecord('order-1', { body: 'Asha Juma' }), 0);
    expect(inspect({ journal }, { depth: 9, showHidden: true })).not.toContain('Asha');
    expect(inspect(journal)).toBe('MemoryJournal { 1 payments }');
  });

  describe('when it is full', () => {
    const write = (journal: JournalStore, reference: string, state: JournalState): Promise<unknown> =>
      journal.insert(journalRecord(reference, { state }), 0);
    const existing = async (journal: JournalStore, references: readonly string[]): Promise<string[]> => {
      const found = await Promise.all(references.map((reference) => journal.get(journalRecord(reference))));
      return found.flatMap((stored) => stored?.record.reference ?? []);
    };

    afterEach(() => {
      vi.restoreAllMocks();
    });

    it('forgets what has ended before what is only accepted, and each the longest unchanged first', async () => {
      const { journal } = memoryStorage({ maxEntries: 4 });
      await write(journal, 'accepted', 'accepted');
      await write(journal, 'settled-1', 'settled');
      await write(journal, 'settled-2', 'settled');
      await write(journal, 'rejected', 'rejected');
      const all = ['accepted', 'settled-1', 'settled-2', 'rejected'];
      const left: string[][] = [];
      for (const reference of ['a', 'b', 'c', 'd']) {
        await write(journal, reference, 'in-flight');
        left.push(await existing(journal, all));
      }
      expect(left).toEqual([
        ['accepted', 'settled-2', 'rejected'],
        ['accepted', 'rejected'],
        ['accepted'],
        [],
      ]);
    });

    it('forgets in the same order however many there were', async () => {
      const { journal } = memoryStorage({ maxEntries: 3 });
      const states: readonly JournalState[] = ['settled', 'rejected', 'accepted'];
      const left: { readonly reference: string; readonly state: JournalState }[] = [];
      for (let index = 0; index < 60; index += 1) {
        // Runs of one state empty the others on the way.
        const payment = { reference: `order-${index}`, state: states[Math.floor(index / 5) % 3]! };
        if (left.length === 3) {
          const next = states.map((state) => left.findIndex((each) => each.state === state));
          left.splice(
            next.find((at) => at >= 0)!,
            1,
          );
        }
        left.push(payment);
        await write(journal, payment.reference, payment.state);
        const references = left.map(({ reference }) => reference);
        expect(await existing(journal, references)).toEqual(references);
      }
    });

    it('never forgets an open or unknown payment: it grows, and warns once', async () => {
      const warn = vi.spyOn(Logger.prototype, 'warn').mockImplementation(() => {});
      const { journal } = memoryStorage({ maxEntries: 2 });
      await write(journal, 'open', 'in-flight');
      await write(journal, 'unknown', 'unknown');
      await write(journal, 'third', 'in-flight');
      await write(journal, 'fourth', 'in-flight');
      expect(await existing(journal, ['open', 'unknown', 'third', 'fourth'])).toHaveLength(4);
      expect(warn.mock.calls).toEqual([
        [
          'The memory storage holds 2 payments that are open or unknown, and grows beyond its maxEntries: ' +
            'settle them (PaymentsJournal.unresolved() lists them), raise maxEntries, or use a shared storage.',
        ],
      ]);
      expect(warn.mock.contexts).toMatchObject([{ context: 'PaymentsStorage' }]);
    });

    it('returns to its bound once payments have ended', async () => {
      vi.spyOn(Logger.prototype, 'warn').mockImplementation(() => {});
      const { journal } = memoryStorage({ maxEntries: 2 });
      for (const reference of ['one', 'two', 'three']) await write(journal, reference, 'in-flight');
      for (const reference of ['one', 'two']) {
        const { version = 0 } = (await journal.get(journalRecord(reference))) ?? {};
        await journal.replace(version, journalRecord(reference, { state: 'settled' }), 0);
      }
      await write(journal, 'four', 'in-flight');
      expect(await existing(journal, ['one', 'two', 'three', 'four'])).toEqual(['three', 'four']);
    });
  });
});
