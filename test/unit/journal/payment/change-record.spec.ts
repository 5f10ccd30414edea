import { describe, expect, it } from 'vitest';
import { type JournalRecord, type JournalStore } from '../../../../lib/storage/journal-store.js';
import { memoryStorage } from '../../../../lib/storage/memory/memory-storage.js';
import { changeRecord } from '../../../../lib/journal/payment/change-record.js';
import {
  toAcknowledged,
  toRejected,
  toSettled,
  toUnknown,
} from '../../../../lib/journal/payment/journal-transitions.js';
import { withoutPerson } from '../../../../lib/journal/outcomes/erase-person.js';
import { journalRecord } from '../../../support/journal-contract.js';

/** A journal in which somebody else writes before the first `rivals` replacements. */
async function contested(rivals: number): Promise<JournalStore> {
  const { journal } = memoryStorage();
  await journal.insert(journalRecord('order-1'), 0);
  let left = rivals;
  const replace = journal.replace.bind(journal);
  return Object.assign(journal, {
    replace: async (...args: Parameters<typeof replace>) => {
      if (left-- > 0) {
        const existing = await journal.get(args[1]);
        await replace(existing?.version ?? 0, toUnknown(journalRecord('order-1'), 'no-answer', undefined), 0);
      }
      return replace(...args);
    },
  });
}

describe('changing a record', () => {
  it('leaves the time at which a payment ended, until it ends otherwise', async () => {
    const { journal } = memoryStorage();
    const settled = toSettled(journalRecord('order-1'), 'failed', 'operator');
    const { stored } = await journal.insert(settled, 0);
    const change = (next: (record: JournalRecord) => JournalRecord) =>
      changeRecord(journal, settled, ({ record }) => next(record), 'ends');
    const erased = await change(withoutPerson);
    expect(erased?.record.endedAt).toBe(stored?.updatedAt);
    expect((await change((record) => ({ ...record, stale: true })))?.record.endedAt).toBe(stored?.updatedAt);
    const open = await change(toAcknowledged);
    expect(open?.record).toMatchObject({ state: 'unknown' });
    expect(open?.record.endedAt).toBeUndefined();
    expect(
      (await change((record) => toSettled(record, 'success', 'operator')))?.record.endedAt,
    ).toBeUndefined();
  });

  it('is done again on what a faster writer left', async () => {
    const journal = await contested(3);
    const seen: string[] = [];
    const existing = await changeRecord(
      journal,
      journalRecord('order-1'),
      ({ record }) => {
        seen.push(record.state);
        return toRejected(record, 'proven');
      },
      'ends',
    );
    expect(seen).toEqual(['in-flight', 'unknown', 'unknown', 'unknown']);
    expect(existing?.record.state).toBe('rejected');
  });

  it('is given up if other processes keep changing it', async () => {
    const journal = await contested(1_000);
    await expect(
      changeRecord(journal, journalRecord('order-1'), ({ record }) => toRejected(record, 'proven'), 'ends'),
    ).rejects.toMatchObject({ name: 'PaymentsStorageError' });
  });

  it('writes nothing if nothing changes, or if there is no payment', async () => {
    const journal = await contested(0);
    const before = await journal.get(journalRecord('order-1'));
    const after = await changeRecord(journal, journalRecord('order-1'), ({ record }) => record, 'ends');
    expect(after?.version).toBe(before?.version);
    expect(
      await changeRecord(
        journal,
        journalRecord('nobody'),
        ({ record }) => toRejected(record, 'proven'),
        'ends',
      ),
    ).toBeUndefined();
  });

  it.each([
    ['ends', 0],
    ['stays', 60_000],
  ] as const)('while a call holds it: the lease %s', async (lease, leftMs) => {
    const { journal } = memoryStorage({ now: () => 1_800_000_000_000 });
    await journal.insert(journalRecord('order-1'), 60_000);
    const key = journalRecord('order-1');
    await changeRecord(journal, key, ({ record }) => toRejected(record, 'proven'), lease);
    expect(await journal.get(key)).toMatchObject({ record: { state: 'rejected' }, leaseLeftMs: leftMs });
  });
});
