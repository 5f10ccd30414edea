import {
  type CountedPayment,
  type DailyCapReached,
  dailyCapDay,
  type DailyCounter,
  type DailyShare,
} from '../daily-cap.js';
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

  async insert(
    record: JournalRecord,
    leaseMs: number,
    share: DailyShare,
  ): Promise<(JournalInsertion & CountedPayment) | DailyCapReached> {
    const isNew = !this.records.find(record) && !this.records.tombstone(record);
    const counted = isNew ? this.count(record, share) : {};
    if ('reachedOn' in counted) return counted;
    return { ...(await this.journal.insert(record, leaseMs)), ...counted };
  }

  async replace(
    version: number,
    record: JournalRecord,
    leaseMs: number,
    share: DailyShare,
  ): Promise<(StoredJournalRecord & CountedPayment) | DailyCapReached | undefined> {
    const isCurrent = this.records.find(record)?.version === version;
    const counted = isCurrent ? this.count(record, share) : {};
    if ('reachedOn' in counted) return counted;
    const replaced = await this.journal.replace(version, record, leaseMs);
    return replaced && { ...replaced, ...counted };
  }

  release(scope: JournalScope, day: number, cents: number): Promise<void> {
    const counter = this.records.counterOf(scope);
    if (counter?.day === day) {
      const count = Math.max(counter.count - 1, 0);
      this.records.setCounter(scope, { day, count, cents: Math.max(counter.cents - cents, 0) });
    }
    return Promise.resolve();
  }

  /** Counts a payment, if the day has room. */
  private count(
    scope: JournalScope,
    { cents, maxCents = Infinity, maxCount = Infinity }: DailyShare,
  ): CountedPayment | DailyCapReached {
    const current = currentCounter(this.records.counterOf(scope), dailyCapDay(this.now()));
    const { day } = current;
    const next = { day, count: current.count + 1, cents: current.cents + cents };
    if (next.count > maxCount || next.cents > maxCents) return { reachedOn: day };
    this.records.setCounter(scope, next);
    return { countedOn: day };
  }
}

/** A counter begins again if its day is over, or if the clock was ahead by more than a day when it was written. */
function currentCounter(counter: DailyCounter | undefined, today: number): DailyCounter {
  const isCurrent = counter && counter.day >= today && counter.day <= today + 1;
  return isCurrent ? counter : { day: today, count: 0, cents: 0 };
}
