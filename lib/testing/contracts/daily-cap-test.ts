import { dailyCapDay, type DailyShare, endOfDay } from '../../storage/daily-cap.js';
import { type DailyCapStore, type JournalRecord } from '../../storage/journal-store.js';
import { type ContractFramework } from './contract-framework.js';
import {
  journalRecord,
  type JournalTest,
  journalTest,
  type JournalUnderTest,
  LEASE_MS,
} from './journal-test.js';

export const HOUR_MS = 3_600_000;
/** Less than a test takes. */
export const SOON_MS = 60_000;
export const CENTS = 118_050;

/** What a test of daily caps gets. It begins in the morning of a day. */
export interface DailyCapTest extends JournalTest {
  readonly caps: DailyCapStore;
  /** The day, as `dailyCapDay` counts it. */
  readonly today: number;
  /** Writes a payment with a cap: the result in one word. */
  readonly pay: (
    record: JournalRecord,
    share: DailyShare,
  ) => Promise<'written' | 'existing' | 'forgotten' | 'reached'>;
  /** Lets time pass until just before the end of the day. */
  readonly untilEvening: () => Promise<void>;
}

export async function dailyCapTest(
  framework: ContractFramework,
  store: JournalUnderTest,
): Promise<DailyCapTest> {
  const test = journalTest(framework.expect, store);
  const { dailyCaps: caps } = store.journal;
  if (!caps) throw new Error('The journal has no dailyCaps.');
  const now = async (): Promise<number> => (await test.insert(journalRecord('the-time'), 0)).createdAt;
  const first = await now();
  const today = dailyCapDay(first) + 1;
  await store.pass(endOfDay(dailyCapDay(first)) - first + 9 * HOUR_MS);
  return {
    ...test,
    caps,
    today,
    pay: async (record, share) => {
      const result = await caps.insert(record, LEASE_MS, share);
      if ('reachedOn' in result) return 'reached';
      if (result.tombstone) return 'forgotten';
      return result.inserted ? 'written' : 'existing';
    },
    untilEvening: async () => {
      await store.pass(15 * HOUR_MS - SOON_MS);
    },
  };
}

export const counted = (reference: string, change: Partial<JournalRecord> = {}): JournalRecord =>
  journalRecord(reference, { counted: true, ...change });
