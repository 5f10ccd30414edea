import { type DailyCapReached, dailyCapDay, type DailyCounter, type DailyShare } from '../daily-cap.js';
import {
  type DailyCapStore,
  type JournalInsertion,
  type JournalRecord,
  type JournalScope,
  type JournalStore,
  type StoredJournalRecord,
} from '../journal-store.js';
import { type MemoryRecords } from './memory-records.js';

/** The daily caps of one process. Each method runs in one turn of the event loop, which makes it atomic. */
export class MemoryDailyCaps implements DailyCapStore {
  constructor(
    private readonly journal: Pick<JournalStore, 'insert' | 'replace'>,
    private readonly records: MemoryRecords,
    private readonly now: () => number,
  ) {}

  insert(
    record: JournalRecord,
    leaseMs: number,
    share: DailyShare,
  ): Promise<JournalInsertion | DailyCapReached> {
    const isNew = !this.records.find(record) && !this.records.tombstone(record);
    const reachedOn = isNew ? this.count(record, share) : undefined;
    return reachedOn === undefined ? this.journal.insert(record, leaseMs) : Promise.resolve({ reachedOn });
  }

  replace(
    version: number,
    record: JournalRecord,
    leaseMs: number,
    share: DailyShare,
  ): Promise<StoredJournalRecord | DailyCapReached | undefined> {
    const isCurrent = this.records.find(record)?.version === version;
    const reachedOn = isCurrent ? this.count(record, share) : undefined;
    return reachedOn === undefined
      ? this.journal.replace(version, record, leaseMs)
      : Promise.resolve({ reachedOn });
  }

  giveBack(scope: JournalScope, day: number, cents: number): Promise<void> {
    const counter = this.records.counterOf(scope);
    if (counter?.day === day) {
      this.records.setCounter(scope, { day, count: counter.count - 1, cents: counter.cents - cents });
    }
    return Promise.resolve();
  }

  /** Counts a payment. Returns the day if it has no room. */
  private count(scope: JournalScope, share: DailyShare): number | undefined {
    const counter = this.records.counterOf(scope);
    const today = dailyCapDay(this.now());
    const next = counted(counter, today, share);
    if (!next) return Math.max(today, counter?.day ?? today);
    this.records.setCounter(scope, next);
    return undefined;
  }
}

/** A counter after one more payment; undefined if the day has no room for it. */
function counted(
  counter: DailyCounter | undefined,
  today: number,
  { cents, maxCents = Infinity, maxCount = Infinity }: DailyShare,
): DailyCounter | undefined {
  const current = counter && counter.day >= today ? counter : { day: today, count: 0, cents: 0 };
  const next = { day: current.day, count: current.count + 1, cents: current.cents + cents };
  return next.count > maxCount || next.cents > maxCents ? undefined : next;
}
