import { type Cases } from './contract-framework.js';
import { JOURNAL_SCOPE as SCOPE, journalRecord, type JournalTest, LEASE_MS } from './journal-test.js';

const REFERENCES = Array.from({ length: 12 }, (_, index) => `order-${index}`);
const UNKNOWN = { state: 'unknown', evidence: 'conflict' } as const;
const SETTLED = { state: 'settled', outcome: 'success', settledBy: 'webhook' } as const;

/** What comes at the same time: one of the two is done, and the other one learns it. */
export const JOURNAL_RACING: Cases<JournalTest> = {
  'removes a payment, or replaces it, if both are asked for at the same time': async ({
    journal,
    expect,
    insert,
    storedEntry,
  }) => {
    for (const [index, reference] of REFERENCES.entries()) {
      const { record, version } = await insert(journalRecord(reference));
      const remove = (): Promise<boolean> => journal.remove(record, version);
      const replace = async (): Promise<boolean> =>
        (await journal.replace(version, { ...record, ...UNKNOWN }, 0)) !== undefined;
      const both = index % 2 === 0 ? [remove(), replace()] : [replace(), remove()];
      const done = await Promise.all(both);
      expect(done.filter(Boolean)).toHaveLength(1);
      const isRemoved = done[index % 2];
      expect((await storedEntry(reference))?.record.state).toBe(isRemoved ? undefined : 'unknown');
    }
  },

  'purges a payment, or replaces it, if both are asked for at the same time': async ({
    journal,
    pass,
    expect,
    insert,
    storedEntry,
  }) => {
    const before = await Promise.all(
      REFERENCES.map((reference) => insert(journalRecord(reference, SETTLED), 0)),
    );
    await pass(10_000);
    const replacing = (half: number): Promise<boolean>[] =>
      before
        .filter((_, index) => index % 2 === half)
        .map(async ({ version, record: { settledBy: _by, outcome: _outcome, ...rest } }) =>
          Boolean(await journal.replace(version, { ...rest, ...UNKNOWN }, 0)),
        );
    const first = replacing(0);
    const purging = journal.purge(SCOPE, 'settled', 5_000);
    const replaced = [...(await Promise.all(first)), ...(await Promise.all(replacing(1)))];
    expect(await purging).toBe(replaced.filter((isReplaced) => !isReplaced).length);
    let left = 0;
    for (const { record } of before) {
      const state = (await storedEntry(record.reference))?.record.state;
      const end = (await journal.tombstone(record))?.end;
      expect([state, end]).toEqual(state === undefined ? [undefined, 'success'] : ['unknown', undefined]);
      if (state !== undefined) left += 1;
    }
    expect(left).toBe(replaced.filter(Boolean).length);
  },

  'lists a payment once that changes its state at the same time': async ({ journal, expect, insert }) => {
    let { version } = await insert(journalRecord('order-1'));
    let left = 30;
    const change = async (): Promise<void> => {
      for (; left > 0; left -= 1) {
        const next = journalRecord('order-1', left % 2 === 0 ? UNKNOWN : {});
        version = (await journal.replace(version, next, LEASE_MS))?.version ?? 0;
      }
    };
    const changed = change();
    while (left > 0) {
      const { entries } = await journal.list(SCOPE, ['settled'], { limit: 9 });
      expect(entries.map(({ record }) => record.reference)).toEqual(['order-1']);
    }
    await changed;
  },

  'never writes a payment down that it forgets at the same time': async ({
    journal,
    pass,
    expect,
    insert,
    storedEntry,
  }) => {
    for (const reference of REFERENCES) await insert(journalRecord(reference, SETTLED), 0);
    await pass(10_000);
    const inserting = async (): Promise<readonly boolean[]> => {
      const insertions = REFERENCES.map((reference) => journal.insert(journalRecord(reference), 0));
      return (await Promise.all(insertions)).map(({ inserted }) => inserted);
    };
    const [before, purged, ...after] = await Promise.all([
      inserting(),
      journal.purge(SCOPE, 'settled', 5_000),
      inserting(),
      inserting(),
    ]);
    // Rows that an insertion holds at that moment may be left to the next purge.
    const left = await journal.purge(SCOPE, 'settled', 5_000);
    expect(purged + left).toBe(REFERENCES.length);
    expect([before, ...after].flat().filter(Boolean)).toEqual([]);
    for (const reference of REFERENCES) {
      expect(await storedEntry(reference)).toBeUndefined();
      expect((await journal.tombstone(journalRecord(reference)))?.end).toBe('success');
    }
  },
};
