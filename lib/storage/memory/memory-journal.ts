import { SafeLogger } from '../../common/safe-logger.js';
import {
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
import { LinkedList, type Linked, NumberedRecords } from './record-collections.js';
import { purgeTargets, tombstoneOf } from '../purge-targets.js';
import { MemoryTombstones } from './memory-tombstones.js';

interface MemoryRecord extends Linked<MemoryRecord> {
  record: JournalRecord;
  /** Its position in the list of its scope. */
  readonly number: number;
  version: number;
  readonly createdAt: number;
  updatedAt: number;
  attemptAt: number;
  leaseUntil: number;
}

/** The payments of one scope. */
interface ScopeJournal {
  readonly scope: JournalScope;
  /** By reference. */
  readonly records: Map<string, MemoryRecord>;
  readonly tombstones: MemoryTombstones;
  readonly numbered: NumberedRecords<MemoryRecord>;
}

/**
 * The states of the payments that make room, in this order. An open or unknown payment never does: it could be paid
 * twice.
 */
const DROP_ORDER: readonly JournalState[] = ['settled', 'rejected', 'accepted'];

/** The journal of one process. Each method runs in one turn of the event loop, which makes it atomic. */
export class MemoryJournal implements JournalStore {
  /** There are few: two for an account. */
  private readonly scopes: ScopeJournal[] = [];
  /** The records in each state; the record that changed longest ago comes first. */
  private readonly byState = new Map<JournalState, LinkedList<MemoryRecord>>();
  private size = 0;
  /** Counts all changes, so that a version never comes back. */
  private changes = 0;
  private warned = false;

  constructor(
    private readonly maxEntries: number,
    private readonly now: () => number,
  ) {}

  insert(record: JournalRecord, leaseMs: number): Promise<JournalInsertion> {
    const { records, numbered, tombstones } = this.scopeOf(record);
    const existing = records.get(record.reference);
    if (existing) return Promise.resolve({ inserted: false, stored: this.view(existing) });
    const tombstone = tombstones.find(record.reference);
    if (tombstone) return Promise.resolve({ inserted: false, tombstone });
    this.makeRoom();
    const now = this.now();
    const version = ++this.changes;
    const times = { createdAt: now, updatedAt: now, attemptAt: now, leaseUntil: now + leaseMs };
    const stored: MemoryRecord = {
      record,
      number: numbered.next,
      version,
      before: undefined,
      after: undefined,
      ...times,
    };
    records.set(record.reference, stored);
    numbered.add(stored);
    this.size += 1;
    this.recordsIn(record.state).add(stored);
    return Promise.resolve({ inserted: true, stored: this.view(stored) });
  }

  get(key: JournalKey): Promise<StoredJournalRecord | undefined> {
    const existing = this.find(key);
    return Promise.resolve(existing && this.view(existing));
  }

  tombstone(key: JournalKey): Promise<PaymentTombstone | undefined> {
    return Promise.resolve(this.scopeOf(key).tombstones.find(key.reference));
  }

  endTombstone(key: JournalKey, ended: TombstoneEnd): Promise<void> {
    const { tombstones } = this.scopeOf(key);
    const existing = tombstones.find(key.reference);
    if (existing) tombstones.add(key.reference, { ...existing, ...ended }, this.now());
    return Promise.resolve();
  }

  replace(version: number, record: JournalRecord, leaseMs: number): Promise<StoredJournalRecord | undefined> {
    const existing = this.find(record);
    if (existing?.version !== version) return Promise.resolve(undefined);
    const now = this.now();
    this.recordsIn(existing.record.state).remove(existing);
    this.recordsIn(record.state).add(existing);
    this.scopeOf(record).numbered.stateChanged(existing.number, existing.record.state, record.state);
    const isSameCall = existing.record.attempt === record.attempt && existing.record.intent === record.intent;
    if (!isSameCall) existing.attemptAt = now;
    existing.record = record;
    existing.version = ++this.changes;
    existing.updatedAt = now;
    existing.leaseUntil = now + leaseMs;
    return Promise.resolve(this.view(existing));
  }

  remove(key: JournalKey, version: number): Promise<boolean> {
    const existing = this.find(key);
    if (existing?.version !== version) return Promise.resolve(false);
    this.drop(existing);
    return Promise.resolve(true);
  }

  list(
    scope: JournalScope,
    except: readonly JournalState[],
    { after = '0', limit }: { readonly after?: string; readonly limit: number },
  ): Promise<JournalPage> {
    const isWanted = (state: string): boolean => !(except as readonly string[]).includes(state);
    const entries: StoredJournalRecord[] = [];
    let last = 0;
    for (const existing of this.scopeOf(scope).numbered.after(Number(after), isWanted)) {
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
    if (what === 'tombstones') return Promise.resolve(this.purgeTombstones(scope, latest));
    const forgotten = purgeTargets(what).flatMap(({ family, state }) =>
      [...this.recordsIn(state)].filter(
        ({ record, updatedAt }) => updatedAt < latest && isWithin({ ...scope, family }, record),
      ),
    );
    for (const existing of forgotten) this.forget(existing);
    return Promise.resolve(forgotten.length);
  }

  /** The records hold names and phone numbers, and must not land in a log with whatever holds the journal. */
  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return `MemoryJournal { ${this.size} payments }`;
  }

  private find(key: JournalKey): MemoryRecord | undefined {
    return this.scopeOf(key).records.get(key.reference);
  }

  private scopeOf(scope: JournalScope): ScopeJournal {
    for (const known of this.scopes) {
      if (isWithin(known.scope, scope)) return known;
    }
    const { account, environment, family } = scope;
    const added: ScopeJournal = {
      scope: { account, environment, family },
      records: new Map(),
      numbered: new NumberedRecords(),
      tombstones: new MemoryTombstones(),
    };
    this.scopes.push(added);
    return added;
  }

  private forget(existing: MemoryRecord): void {
    const { record } = existing;
    this.scopeOf(record).tombstones.add(record.reference, tombstoneOf(record), this.now());
    this.drop(existing);
  }

  private purgeTombstones(
    { account, environment }: Pick<JournalScope, 'account' | 'environment'>,
    latest: number,
  ): number {
    const ofAccount = this.scopes.filter(
      ({ scope }) => scope.account === account && scope.environment === environment,
    );
    return ofAccount.reduce((purged, { tombstones }) => purged + tombstones.purge(latest), 0);
  }

  private drop(existing: MemoryRecord): void {
    const { record } = existing;
    const { records, numbered } = this.scopeOf(record);
    records.delete(record.reference);
    numbered.remove(existing.number, record.state);
    this.size -= 1;
    this.recordsIn(record.state).remove(existing);
  }

  private makeRoom(): void {
    while (this.size >= this.maxEntries) {
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
      const { first } = this.recordsIn(state);
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

  private recordsIn(state: JournalState): LinkedList<MemoryRecord> {
    let records = this.byState.get(state);
    if (!records) this.byState.set(state, (records = new LinkedList()));
    return records;
  }

  private view(existing: MemoryRecord): StoredJournalRecord {
    const now = this.now();
    const { record, version, createdAt, updatedAt } = existing;
    return {
      record,
      version,
      createdAt,
      updatedAt,
      ageMs: now - existing.attemptAt,
      idleMs: now - updatedAt,
      leaseLeftMs: Math.max(0, existing.leaseUntil - now),
    };
  }
}

function isWithin(scope: JournalScope, record: JournalScope): boolean {
  return (
    scope.account === record.account &&
    scope.environment === record.environment &&
    scope.family === record.family
  );
}
