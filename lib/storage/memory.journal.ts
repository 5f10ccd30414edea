import { Logger } from '@nestjs/common';
import {
  type ForgettablePayments,
  type JournalKey,
  type JournalPage,
  type JournalRecord,
  type JournalScope,
  type JournalState,
  type JournalStore,
  type StoredJournalRecord,
} from '../common/journal-port.js';
import { Chain, type Linked } from './chain.js';
import { placesOf } from './forgettable.js';

interface MemoryRecord extends Linked<MemoryRecord> {
  record: JournalRecord;
  /** Counts the first writings: the order of `list`. */
  readonly sequence: number;
  version: number;
  readonly createdAt: number;
  updatedAt: number;
  attemptAt: number;
  leaseUntil: number;
}

/** What may be forgotten to make room, in this order. An open or unknown payment never is: it could be paid twice. */
const FORGETTABLE: readonly JournalState[] = ['settled', 'rejected', 'accepted'];

/** The journal of one process. Each method runs in one turn of the event loop, which makes it atomic. */
export class MemoryJournal implements JournalStore {
  /** The records of each scope by reference. There are few scopes: two for an account. */
  private readonly books: { readonly scope: JournalScope; readonly records: Map<string, MemoryRecord> }[] =
    [];
  /** The records in each state, the ones that changed longest ago first. */
  private readonly chains = new Map<JournalState, Chain<MemoryRecord>>();
  private size = 0;
  /** Counts all changes, so that a version never comes back. */
  private changes = 0;
  private warned = false;

  constructor(
    private readonly maxEntries: number,
    private readonly now: () => number,
  ) {}

  insert(
    record: JournalRecord,
    leaseMs: number,
  ): Promise<{ readonly inserted: boolean; readonly stored: StoredJournalRecord }> {
    const records = this.recordsOf(record);
    const standing = records.get(record.reference);
    if (standing) return Promise.resolve({ inserted: false, stored: this.view(standing) });
    this.makeRoom();
    const now = this.now();
    const version = ++this.changes;
    const times = { createdAt: now, updatedAt: now, attemptAt: now, leaseUntil: now + leaseMs };
    const stored: MemoryRecord = {
      record,
      sequence: version,
      version,
      before: undefined,
      after: undefined,
      ...times,
    };
    records.set(record.reference, stored);
    this.size += 1;
    this.chainOf(record.state).add(stored);
    return Promise.resolve({ inserted: true, stored: this.view(stored) });
  }

  get(key: JournalKey): Promise<StoredJournalRecord | undefined> {
    const standing = this.find(key);
    return Promise.resolve(standing && this.view(standing));
  }

  replace(version: number, record: JournalRecord, leaseMs: number): Promise<StoredJournalRecord | undefined> {
    const standing = this.find(record);
    if (standing?.version !== version) return Promise.resolve(undefined);
    const now = this.now();
    this.chainOf(standing.record.state).remove(standing);
    this.chainOf(record.state).add(standing);
    if (standing.record.attempt !== record.attempt) standing.attemptAt = now;
    standing.record = record;
    standing.version = ++this.changes;
    standing.updatedAt = now;
    standing.leaseUntil = now + leaseMs;
    return Promise.resolve(this.view(standing));
  }

  remove(key: JournalKey, version: number): Promise<boolean> {
    const standing = this.find(key);
    if (standing?.version !== version) return Promise.resolve(false);
    this.forget(standing);
    return Promise.resolve(true);
  }

  list(
    scope: JournalScope,
    state: JournalState,
    { after = '0', limit }: { readonly after?: string; readonly limit: number },
  ): Promise<JournalPage> {
    const found = [...this.chainOf(state)]
      .filter(({ record, sequence }) => sequence > Number(after) && isWithin(scope, record))
      .sort((one, other) => one.sequence - other.sequence);
    const page = found.slice(0, limit);
    const last = page.at(-1);
    return Promise.resolve({
      entries: page.map((standing) => this.view(standing)),
      ...(found.length > limit && last && { next: String(last.sequence) }),
    });
  }

  purge(
    scope: Pick<JournalScope, 'account' | 'environment'>,
    what: ForgettablePayments,
    olderThanMs: number,
  ): Promise<number> {
    const latest = this.now() - olderThanMs;
    const forgotten = placesOf(what).flatMap(({ family, state }) =>
      [...this.chainOf(state)].filter(
        ({ record, updatedAt }) => updatedAt < latest && isWithin({ ...scope, family }, record),
      ),
    );
    for (const standing of forgotten) this.forget(standing);
    return Promise.resolve(forgotten.length);
  }

  /** The records hold names and phone numbers, and must not land in a log with whatever holds the journal. */
  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return `MemoryJournal { ${this.size} payments }`;
  }

  private find(key: JournalKey): MemoryRecord | undefined {
    return this.recordsOf(key).get(key.reference);
  }

  private recordsOf(scope: JournalScope): Map<string, MemoryRecord> {
    for (const book of this.books) {
      if (isWithin(book.scope, scope)) return book.records;
    }
    const { account, environment, family } = scope;
    const records = new Map<string, MemoryRecord>();
    this.books.push({ scope: { account, environment, family }, records });
    return records;
  }

  private forget(standing: MemoryRecord): void {
    const { record } = standing;
    this.recordsOf(record).delete(record.reference);
    this.size -= 1;
    this.chainOf(record.state).remove(standing);
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
    for (const state of FORGETTABLE) {
      const { first } = this.chainOf(state);
      if (first) return first;
    }
    return undefined;
  }

  private warnOfGrowth(): void {
    if (this.warned) return;
    this.warned = true;
    new Logger('PaymentsStorage').warn(
      `The memory storage holds ${this.maxEntries} payments that are open or unknown, and grows beyond its maxEntries: ` +
        'settle them (PaymentsJournal.unresolved() lists them), raise maxEntries, or use a shared storage.',
    );
  }

  private chainOf(state: JournalState): Chain<MemoryRecord> {
    let chain = this.chains.get(state);
    if (!chain) this.chains.set(state, (chain = new Chain()));
    return chain;
  }

  private view(standing: MemoryRecord): StoredJournalRecord {
    const now = this.now();
    const { record, version, createdAt, updatedAt } = standing;
    return {
      record,
      version,
      createdAt,
      updatedAt,
      ageMs: now - standing.attemptAt,
      idleMs: now - updatedAt,
      leaseLeftMs: Math.max(0, standing.leaseUntil - now),
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
