import { SafeLogger } from '../../common/safe-logger.js';
import { type AccountPage, type AccountPageStart } from '../account-page.js';
import {
  type DailyCapStore,
  type ForgettablePayments,
  type JournalInsertion,
  type JournalKey,
  type JournalPage,
  type JournalRecord,
  type JournalScope,
  type JournalStore,
  type PaymentTombstone,
  type StoredJournalRecord,
  type TombstoneEnd,
} from '../journal-store.js';
import { type JournalState } from '../../common/vocabulary.js';
import { leaseLeftMs } from '../../common/timing.js';
import { purgeTargets, tombstoneOf } from '../purge-targets.js';
import { accountPage } from './memory-accounts.js';
import { MemoryDailyCaps } from './memory-daily-caps.js';
import { isWithin, type MemoryRecord, MemoryRecords } from './memory-records.js';

/**
 * The states of the payments that make room, in this order. An open or unknown payment never does: it could be paid
 * twice.
 */
const DROP_ORDER: readonly JournalState[] = ['settled', 'rejected', 'accepted'];

/** The journal of one process. Each method runs in one turn of the event loop, which makes it atomic. */
export class MemoryJournal implements JournalStore {
  private readonly records = new MemoryRecords();
  readonly dailyCaps: DailyCapStore;
  /** Counts all changes, so that a version never comes back. */
  private changes = 0;
  private warned = false;

  constructor(
    private readonly maxEntries: number,
    private readonly now: () => number = () => Date.now(),
  ) {
    this.dailyCaps = new MemoryDailyCaps(this, this.records, this.now);
  }

  insert(record: JournalRecord, leaseMs: number): Promise<JournalInsertion> {
    const existing = this.records.find(record);
    if (existing) return Promise.resolve({ inserted: false, stored: this.view(existing) });
    const tombstone = this.records.tombstone(record);
    if (tombstone) return Promise.resolve({ inserted: false, tombstone });
    this.makeRoom();
    const stored = this.records.add(record, ++this.changes, this.now(), leaseMs);
    return Promise.resolve({ inserted: true, stored: this.view(stored, leaseMs) });
  }

  get(key: JournalKey): Promise<StoredJournalRecord | undefined> {
    const existing = this.records.find(key);
    return Promise.resolve(existing && this.view(existing));
  }

  tombstone(key: JournalKey): Promise<PaymentTombstone | undefined> {
    return Promise.resolve(this.records.tombstone(key));
  }

  endTombstone(key: JournalKey, ended: TombstoneEnd): Promise<void> {
    const existing = this.records.tombstone(key);
    if (existing) this.records.addTombstone(key, { ...existing, ...ended }, this.now());
    return Promise.resolve();
  }

  replace(version: number, record: JournalRecord, leaseMs: number): Promise<StoredJournalRecord | undefined> {
    const now = this.now();
    const existing = this.records.find(record);
    if (existing?.version !== version) return Promise.resolve(undefined);
    const isSameCall = existing.record.attempt === record.attempt && existing.record.intent === record.intent;
    if (!isSameCall) existing.attemptAt = now;
    this.records.change(existing, record);
    existing.version = ++this.changes;
    existing.updatedAt = now;
    existing.leaseUntil = now + leaseMs;
    return Promise.resolve(this.view(existing, leaseMs));
  }

  remove(key: JournalKey, version: number): Promise<boolean> {
    const existing = this.records.find(key);
    if (existing?.version !== version) return Promise.resolve(false);
    this.records.remove(existing);
    return Promise.resolve(true);
  }

  list(
    scope: JournalScope,
    except: readonly JournalState[],
    { after = '0', from, limit }: { readonly after?: string; readonly from?: number; readonly limit: number },
  ): Promise<JournalPage> {
    const isWanted = (state: string): boolean => !(except as readonly string[]).includes(state);
    const entries: StoredJournalRecord[] = [];
    let last = 0;
    for (const existing of this.records.after(scope, Number(after), isWanted, from)) {
      if (entries.length === limit) return Promise.resolve({ entries, next: String(last) });
      entries.push(this.view(existing));
      last = existing.number;
    }
    return Promise.resolve({ entries });
  }

  purge(
    scope: Pick<JournalScope, 'account' | 'environment'>,
    what: ForgettablePayments | 'tombstones',
    olderThanMs: number,
  ): Promise<number> {
    const latest = this.now() - olderThanMs;
    if (what === 'tombstones') return Promise.resolve(this.records.purgeTombstones(scope, latest));
    const forgotten = purgeTargets(what).flatMap(({ family, state }) =>
      [...this.records.inState(state)].filter(
        ({ record, updatedAt }) => updatedAt < latest && isWithin({ ...scope, family }, record),
      ),
    );
    for (const existing of forgotten) this.forget(existing);
    return Promise.resolve(forgotten.length);
  }

  accounts(page: AccountPageStart): Promise<AccountPage> {
    return Promise.resolve(accountPage(this.records.held(), page));
  }

  /** The records hold names and phone numbers, and must not land in a log with whatever holds the journal. */
  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return `MemoryJournal { ${this.records.size} payments }`;
  }

  private forget(existing: MemoryRecord): void {
    const { record } = existing;
    this.records.addTombstone(record, tombstoneOf(record), this.now());
    this.records.remove(existing);
  }

  private makeRoom(): void {
    while (this.records.size >= this.maxEntries) {
      const oldest = this.nextToForget();
      if (oldest === undefined) {
        this.warnOfGrowth();
        return;
      }
      this.forget(oldest);
    }
  }

  private nextToForget(): MemoryRecord | undefined {
    for (const state of DROP_ORDER) {
      const { first } = this.records.inState(state);
      if (first) return first;
    }
    return undefined;
  }

  private warnOfGrowth(): void {
    if (this.warned) return;
    this.warned = true;
    new SafeLogger('PaymentsStorage').warn(
      `The memory storage holds ${this.maxEntries} payments that are open or unknown, and grows beyond its maxEntries: ` +
        'settle them (PaymentsJournal.unresolved() lists them), raise maxEntries, or use a shared storage.',
    );
  }

  /** @param grantedMs The lease, if it was written this moment. */
  private view(existing: MemoryRecord, grantedMs?: number): StoredJournalRecord {
    const now = this.now();
    const { record, version, createdAt, updatedAt } = existing;
    return {
      record,
      version,
      createdAt,
      updatedAt,
      ageMs: now - existing.attemptAt,
      idleMs: now - updatedAt,
      leaseLeftMs: grantedMs ?? leaseLeftMs(now, updatedAt, existing.leaseUntil),
    };
  }
}
