import { describe, expect, it } from 'vitest';
import { dailyCapReached, FullDays, writeCounted } from '../../../../lib/journal/payment/daily-caps.js';
import { dailyCapDay } from '../../../../lib/storage/daily-cap.js';
import {
  type JournalRecord,
  type JournalStore,
  type StoredJournalRecord,
} from '../../../../lib/storage/journal-store.js';
import { memoryStorage } from '../../../../lib/storage/memory/memory-storage.js';
import { journalRecord } from '../../../support/journal-contract.js';

const DAY_MS = 86_400_000;

describe('the days without room that a run knows', () => {
  const small = journalRecord('small', { amount: '1.00' });
  const large = journalRecord('large', { amount: '2.00' });
  const stored = (record: JournalRecord): StoredJournalRecord => ({
    record,
    version: 1,
    createdAt: 0,
    updatedAt: 0,
    ageMs: DAY_MS,
    idleMs: DAY_MS,
    leaseLeftMs: 0,
  });
  const known = (days: FullDays): readonly boolean[] =>
    [small, large].map((record) => days.has(stored(record)));

  it('pass over every payment of the family if only a number is set', () => {
    const days = new FullDays();
    days.add(large, { cents: 200, maxCount: 1 });
    expect(known(days)).toEqual([true, true]);
    expect(days.has(stored({ ...large, family: 'disbursement' }))).toBe(false);
    expect(days.has(stored({ ...large, account: 'payouts' }))).toBe(false);
  });

  it('pass over no payment that counts on this day already', () => {
    const days = new FullDays();
    days.add(large, { cents: 200, maxCount: 1 });
    const today = dailyCapDay(DAY_MS);
    expect(days.has(stored({ ...small, counted: true, countedOn: today }))).toBe(false);
    expect(days.has(stored({ ...small, counted: true, countedOn: today - 1 }))).toBe(true);
  });

  it('let a smaller payment try if a sum is set', () => {
    const days = new FullDays();
    days.add(large, { cents: 200, maxCents: 250, maxCount: 1 });
    expect(known(days)).toEqual([false, true]);
    days.add(small, { cents: 100, maxCents: 250, maxCount: 1 });
    expect(known(days)).toEqual([true, true]);
  });
});

it('remembers the day of the store, which may be another one than that of the attempt', async () => {
  const { journal } = memoryStorage();
  const counting: JournalStore = Object.assign(Object.create(journal) as JournalStore, {
    dailyCaps: {
      insert: async (record: JournalRecord) => ({ ...(await journal.insert(record, 0)), countedOn: 7 }),
    },
  });
  const written = await writeCounted(counting, journalRecord('order-1'), undefined, 0, { cents: 1 });
  expect(written).toMatchObject({ stored: { record: { counted: true, countedOn: 7 } } });
});

describe('the error of a day without room', () => {
  it('says of a planned payment above a whole day that it waits for a larger cap', () => {
    const before = journalRecord('order-1', { state: 'planned' });
    expect(
      dailyCapReached(before, { reachedOn: 20_000, before, share: { cents: 2, maxCents: 1 } }),
    ).toMatchObject({
      code: 'DAILY_CAP_REACHED',
      mayHaveBeenProcessed: 'not-by-this-call',
      hint: expect.stringContaining('No day has room for this amount') as string,
    });
  });

  it.each([
    ['refused without a listed code', { state: 'rejected' }, 'not-by-this-call'],
    ['called failed by an operator after that', { state: 'settled', outcome: 'failed' }, false],
  ] as const)('says of a payment that was %s whether it may have been made', (_, change, expected) => {
    const before = journalRecord('order-1', { ...change, keepsKey: true });
    expect(dailyCapReached(before, { reachedOn: 20_000, before, share: { cents: 1 } })).toMatchObject({
      mayHaveBeenProcessed: expected,
    });
  });

  it('names the account', () => {
    const payment = journalRecord('order-1', { account: 'payouts' });
    const { message } = dailyCapReached(payment, {
      reachedOn: 20_000,
      before: undefined,
      share: { cents: 1 },
    });
    expect(message).toContain('the account "payouts" has reached its cap');
  });
});
