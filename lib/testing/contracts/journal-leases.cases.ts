import { type DailyCapReached } from '../../storage/daily-cap.js';
import {
  type JournalInsertion,
  type JournalRecord,
  type StoredJournalRecord,
} from '../../storage/journal-store.js';
import { type Cases } from './contract-framework.js';
import { JOURNAL_SCOPE as SCOPE, journalRecord, type JournalTest, LEASE_MS } from './journal-test.js';
import { measureTime } from './passed-time.js';

const HOUR_MS = 3_600_000;

/** The two ways to write with a lease. */
export interface LeaseWriter {
  readonly insert: (record: JournalRecord, leaseMs: number) => Promise<JournalInsertion | DailyCapReached>;
  readonly replace: (
    version: number,
    record: JournalRecord,
    leaseMs: number,
  ) => Promise<StoredJournalRecord | DailyCapReached | undefined>;
}

/** How much time a payment should show, and with which lease it was written. */
interface ExpectedTimes {
  readonly ageMs: number;
  readonly idleMs: number;
  readonly leaseMs: number;
}

/**
 * A process that reads a payment acts on its lease, so every way to read must give the same one: the payment found in
 * place of a new one, `get` and `list`.
 */
export async function expectLeases(
  test: JournalTest,
  { insert, replace }: LeaseWriter,
  record: JournalRecord,
): Promise<void> {
  const { pass, expect } = test;
  const expectPassed = measureTime(expect);
  const expectRead = async (
    { version, createdAt, updatedAt }: StoredJournalRecord,
    { ageMs, idleMs, leaseMs }: ExpectedTimes,
  ): Promise<void> => {
    const another = { ...record, intent: 'another call' };
    for (const read of [written(await insert(another, 90_000)), ...(await readings(test, another))]) {
      expect(read).toMatchObject({ version, createdAt, updatedAt });
      expectPassed(read?.ageMs, ageMs);
      expectPassed(read?.idleMs, idleMs);
      if (leaseMs === 0) expect(read?.leaseLeftMs).toBe(0);
      else expectPassed(leaseMs - (read?.leaseLeftMs ?? 0), idleMs);
    }
  };
  const first = written(await insert(record, 50_000));
  await pass(20_000);
  await expectRead(first, { ageMs: 20_000, idleMs: 20_000, leaseMs: 50_000 });
  const renewed = written(await replace(first.version, { ...record, state: 'unknown' }, 70_000));
  await pass(10_000);
  await expectRead(renewed, { ageMs: 30_000, idleMs: 10_000, leaseMs: 70_000 });
  const ended = written(await replace(renewed.version, { ...record, state: 'accepted' }, 0));
  await expectRead(ended, { ageMs: 30_000, idleMs: 0, leaseMs: 0 });
}

async function readings(
  { journal, storedEntry }: JournalTest,
  another: JournalRecord,
): Promise<readonly (StoredJournalRecord | undefined)[]> {
  const { stored } = await journal.insert(another, 90_000);
  const { entries } = await journal.list(SCOPE, [], { limit: 9 });
  const listed = entries.find(({ record }) => record.reference === another.reference);
  return [stored, await storedEntry(another.reference), listed];
}

function written(
  result: JournalInsertion | StoredJournalRecord | DailyCapReached | undefined,
): StoredJournalRecord {
  const stored = result && 'stored' in result ? result.stored : result;
  if (!stored || !('version' in stored)) throw new Error('The journal has not written this payment.');
  return stored;
}

/** A lease keeps others away from a payment while a call makes it. */
export const JOURNAL_LEASES: Cases<JournalTest> = {
  'says the same of version, times and lease to whom comes second, in get and in the list': async (test) => {
    const { journal } = test;
    const writer: LeaseWriter = {
      insert: (...given) => journal.insert(...given),
      replace: (...given) => journal.replace(...given),
    };
    await expectLeases(test, writer, journalRecord('order-1'));
  },

  'revives no lease that has ended, and makes none longer, if its clock is set back': async (test) => {
    const { journal, pass, expect, insert } = test;
    const ended = await insert(journalRecord('ended'));
    await journal.replace(ended.version, { ...ended.record, state: 'unknown' }, 0);
    const planned = await insert(journalRecord('planned', { state: 'planned' }), 0);
    const running = await insert(journalRecord('running'));
    await pass(-HOUR_MS);
    for (const { record } of [ended, planned]) {
      for (const read of await readings(test, record)) expect(read?.leaseLeftMs).toBe(0);
    }
    for (const read of await readings(test, running.record)) {
      expect(read?.leaseLeftMs).toBeGreaterThan(0);
      expect(read?.leaseLeftMs).toBeLessThanOrEqual(LEASE_MS);
    }
  },
};
