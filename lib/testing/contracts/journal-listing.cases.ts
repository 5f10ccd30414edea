import { type JournalRecord, type StoredJournalRecord } from '../../storage/journal-store.js';
import { type JournalState } from '../../common/vocabulary.js';
import { type Cases, eachCase } from './contract-framework.js';
import {
  allBut,
  JOURNAL_SCOPE as SCOPE,
  JOURNAL_STATES as STATES,
  journalRecord,
  type JournalTest,
} from './journal-test.js';

/** Open payments are listed, whatever happens between two pages. */
export const JOURNAL_LISTING: Cases<JournalTest> = {
  'lists page by page, the oldest first, each once': async ({
    journal,
    pass,
    expect,
    insert,
    storedEntry,
  }) => {
    const references = ['one', 'two', 'three', 'four', 'five'];
    for (const reference of references) {
      await insert(journalRecord(reference));
      await pass(10);
    }
    const seen: string[] = [];
    let after: string | undefined;
    do {
      const page = await journal.list(SCOPE, allBut('in-flight'), { limit: 2, ...(after && { after }) });
      expect(page.entries.length).toBeLessThanOrEqual(2);
      seen.push(...page.entries.map(({ record }) => record.reference));
      // What changes in between takes nothing away from the others.
      const two = await storedEntry('two');
      if (two && !after) await journal.replace(two.version, journalRecord('two', { state: 'unknown' }), 0);
      after = page.next;
    } while (after);
    expect(seen).toEqual(references);
    const unknown = await journal.list(SCOPE, allBut('unknown'), { limit: 2 });
    expect(unknown.entries.map(({ record }) => record.reference)).toEqual(['two']);
    expect(unknown.next).toBeUndefined();
  },

  ...eachCase([1, 7], (limit) => [
    `lists payments that were created at the same time, ${limit} a page, each once`,
    async ({ journal, expect }: JournalTest) => {
      const references = Array.from({ length: 50 }, (_, index) => `order-${index}`);
      await Promise.all(references.map((reference) => journal.insert(journalRecord(reference), 0)));
      const seen: StoredJournalRecord[] = [];
      let after: string | undefined;
      // One page more: a store may learn at the end that nothing is left.
      for (let pages = 0; pages <= Math.ceil(references.length / limit); pages += 1) {
        const page = await journal.list(SCOPE, [], { limit, ...(after && { after }) });
        expect(page.entries.length).toBeLessThanOrEqual(limit);
        seen.push(...page.entries);
        after = page.next;
        if (after === undefined) break;
      }
      expect(after).toBeUndefined();
      expect(seen.map(({ record }) => record.reference).sort()).toEqual([...references].sort());
      const times = seen.map(({ createdAt }) => createdAt);
      expect(times).toEqual([...times].sort((one, other) => one - other));
    },
  ]),

  'lists only the payments that were created at a time or later, page by page': async ({
    journal,
    pass,
    expect,
    insert,
  }) => {
    const states = [
      'planned',
      'in-flight',
      'unknown',
      'settled',
      'accepted',
      'in-flight',
      'planned',
    ] as const;
    const createdAt: number[] = [];
    for (const [index, state] of states.entries()) {
      createdAt.push((await insert(journalRecord(`order-${index}`, { state }))).createdAt);
      await pass(10);
    }
    const listed = async (from: number, limit: number, start?: string): Promise<readonly string[]> => {
      const seen: string[] = [];
      let after = start;
      for (let pages = 0; pages < 9; pages += 1) {
        const page = await journal.list(SCOPE, ['settled'], { from, limit, ...(after && { after }) });
        expect(page.entries.length).toBeLessThanOrEqual(limit);
        seen.push(...page.entries.map(({ record }) => record.reference));
        after = page.next;
        if (after === undefined) break;
      }
      return seen;
    };
    const all = ['order-0', 'order-1', 'order-2', 'order-4', 'order-5', 'order-6'];
    const [first = 0, , third = 0, settled = 0] = createdAt;
    for (const limit of [1, 2, 9]) {
      expect(await listed(0, limit)).toEqual(all);
      expect(await listed(first, limit)).toEqual(all);
      expect(await listed(third, limit)).toEqual(all.slice(2));
      expect(await listed(third + 1, limit)).toEqual(all.slice(3));
      expect(await listed(settled, limit)).toEqual(all.slice(3));
      expect(await listed((createdAt.at(-1) ?? 0) + 1, limit)).toEqual([]);
    }
    const { next } = await journal.list(SCOPE, ['settled'], { limit: 2 });
    expect(await listed(first, 2, next)).toEqual(all.slice(2));
    expect(await listed(settled, 2, next)).toEqual(all.slice(3));
  },

  'takes the time when a payment was created, not that of its last change': async ({
    journal,
    pass,
    expect,
    insert,
  }) => {
    const old = await insert(journalRecord('old'));
    await pass(1_000);
    const { createdAt } = await insert(journalRecord('young'));
    await journal.replace(old.version, journalRecord('old', { state: 'accepted' }), 0);
    const { entries } = await journal.list(SCOPE, [], { from: createdAt, limit: 9 });
    expect(entries.map(({ record }) => record.reference)).toEqual(['young']);
  },

  'lists a payment that moves on between two pages once, whatever it moves to': async ({
    journal,
    pass,
    expect,
    insert,
    storedEntry,
  }) => {
    for (const reference of ['one', 'two', 'three', 'four']) {
      await insert(journalRecord(reference));
      await pass(10);
    }
    const first = await journal.list(SCOPE, ['settled', 'rejected'], { limit: 2 });
    for (const [reference, state] of [
      ['one', 'unknown'],
      ['three', 'accepted'],
      ['four', 'settled'],
    ] as const) {
      await journal.replace(
        (await storedEntry(reference))?.version ?? 0,
        journalRecord(reference, { state }),
        0,
      );
    }
    const rest = await journal.list(SCOPE, ['settled', 'rejected'], { limit: 2, after: first.next ?? '' });
    const listed = [first, rest].flatMap(({ entries }) => entries.map(({ record }) => record.reference));
    expect(listed).toEqual(['one', 'two', 'three']);
    expect(rest.next).toBeUndefined();
  },

  'lists states that only a newer version knows, and lets them be changed': async ({
    journal,
    pass,
    expect,
    insert,
  }) => {
    const newer = 'on-hold' as JournalState;
    await insert(journalRecord('known', { state: 'unknown' }));
    await pass(10);
    const { version } = await insert(journalRecord('newer', { state: newer }));
    await pass(10);
    // No known state is between it and the other one.
    await insert(journalRecord('later', { state: 'on-trial' as JournalState }));
    const listed = async (): Promise<string[]> =>
      (await journal.list(SCOPE, ['settled', 'rejected', 'accepted'], { limit: 9 })).entries.map(
        ({ record }) => record.reference,
      );
    expect(await listed()).toEqual(['known', 'newer', 'later']);
    const next = await journal.replace(version, journalRecord('newer', { state: newer, attempt: 2 }), 0);
    expect(await listed()).toEqual(['known', 'newer', 'later']);
    await journal.replace(next?.version ?? 0, journalRecord('newer', { state: 'settled' }), 0);
    expect(await listed()).toEqual(['known', 'later']);
    const again = await insert(journalRecord('again', { state: newer }));
    expect(await journal.remove(again.record, again.version)).toBe(true);
    expect(await listed()).toEqual(['known', 'later']);
  },

  ...eachCase(STATES, (state) => [
    `lists what is ${state}, and nothing else`,
    async ({ journal, expect, insert, storedEntry }: JournalTest) => {
      for (const other of STATES) await insert(journalRecord(other, { state: other }));
      expect((await storedEntry(state))?.record.state).toBe(state);
      const { entries } = await journal.list(SCOPE, allBut(state), { limit: 10 });
      expect(entries.map(({ record }) => record.reference)).toEqual([state]);
    },
  ]),

  'lists a settled payment again that becomes unknown, and neither purges it nor leaves a tombstone': async ({
    journal,
    pass,
    expect,
    insert,
    storedEntry,
  }) => {
    const settled = { state: 'settled', outcome: 'failed', settledBy: 'operator' } as const;
    const { probe: _probe, sent: _sent, body: _body, ...rest } = journalRecord('order-1');
    const first = await insert({ ...rest, ...settled }, 0);
    await insert(journalRecord('order-2', settled), 0);
    expect((await journal.list(SCOPE, allBut('unknown'), { limit: 10 })).entries).toEqual([]);
    const open: JournalRecord = { ...rest, state: 'unknown', evidence: 'conflict', acknowledged: true };
    expect((await journal.replace(first.version, open, 0))?.record).toEqual(open);
    expect((await storedEntry('order-1'))?.record).toEqual(open);
    const { entries } = await journal.list(SCOPE, allBut('unknown'), { limit: 10 });
    expect(entries.map(({ record }) => record)).toEqual([open]);
    await pass(1_000);
    expect(await journal.purge(SCOPE, 'settled', 500)).toBe(1);
    expect((await storedEntry('order-1'))?.record).toEqual(open);
    expect(await journal.tombstone(open)).toBeUndefined();
  },
};
