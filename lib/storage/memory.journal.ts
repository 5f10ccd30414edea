import { Logger } from '@nestjs/common';
import { journalKeyText } from '../common/journal-key-text.js';
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
import { placesOf } from './forgettable.js';

interface MemoryRecord {
  readonly record: JournalRecord;
  /** Counts the first writings: the order of `list`. */
  readonly sequence: number;
  readonly version: number;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly attemptAt: number;
  readonly leaseUntil: number;
}

/** What may be forgotten to make room, in this order. An open or unknown payment never is: it could be paid twice. */
const FORGETTABLE: readonly JournalState[] = ['settled', 'rejected', 'accepted'];

/** The journal of one process. Each method runs in one turn of the event loop, which makes it atomic. */
export class MemoryJournal implements JournalStore {
  private readonly records = new Map<string, MemoryRecord>();
  /** The ids of the records in each state, the ones that changed longest ago first. */
  private readonly idsByState = new Map<JournalState, Set<string>>();
  /** What each has passed is forgotten. Beginning anew each time would step over every id that was forgotten before. */
  private readonly oldestByState = new Map<JournalState, Iterator<string, unknown>>();
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
    const standing = this.records.get(journalKeyText(record));
    if (standing) return Promise.resolve({ inserted: false, stored: this.view(standing) });
    this.makeRoom();
    const now = this.now();
    const times = { createdAt: now, updatedAt: now, attemptAt: now, leaseUntil: now + leaseMs };
    const stored = this.store({ record, sequence: this.changes + 1, version: 0, ...times });
    return Promise.resolve({ inserted: true, stored });
  }

  get(key: JournalKey): Promise<StoredJournalRecord | undefined> {
    const standing = this.records.get(journalKeyText(key));
    return Promise.resolve(standing && this.view(standing));
  }

  replace(version: number, record: JournalRecord, leaseMs: number): Promise<StoredJournalRecord | undefined> {
    const standing = this.records.get(journalKeyText(record));
    if (standing?.version !== version) return Promise.resolve(undefined);
    const now = this.now();
    const attemptAt = standing.record.attempt === record.attempt ? standing.attemptAt : now;
    const changed = { ...standing, record, updatedAt: now, attemptAt, leaseUntil: now + leaseMs };
    return Promise.resolve(this.store(changed));
  }

  remove(key: JournalKey, version: number): Promise<boolean> {
    const id = journalKeyText(key);
    if (this.records.get(id)?.version !== version) return Promise.resolve(false);
    this.forget(id);
    return Promise.resolve(true);
  }

  list(
    scope: JournalScope,
    state: JournalState,
    { after = '0', limit }: { readonly after?: string; readonly limit: number },
  ): Promise<JournalPage> {
    const found = [...this.idsIn(state)]
      .flatMap((id) => this.records.get(id) ?? [])
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
      [...this.idsIn(state)].filter((id) => {
        const standing = this.records.get(id);
        return standing && standing.updatedAt < latest && isWithin({ ...scope, family }, standing.record);
      }),
    );
    for (const id of forgotten) this.forget(id);
    return Promise.resolve(forgotten.length);
  }

  /** The records hold names and phone numbers, and must not land in a log with whatever holds the journal. */
  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return `MemoryJournal { ${this.records.size} payments }`;
  }

  private store(changed: MemoryRecord): StoredJournalRecord {
    const id = journalKeyText(changed.record);
    const stored = { ...changed, version: ++this.changes };
    this.forget(id);
    this.records.set(id, stored);
    this.idsIn(stored.record.state).add(id);
    return this.view(stored);
  }

  private forget(id: string): void {
    const standing = this.records.get(id);
    if (!standing) return;
    this.records.delete(id);
    this.idsIn(standing.record.state).delete(id);
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

  private nextToForget(): string | undefined {
    for (const state of FORGETTABLE) {
      const ids = this.idsIn(state);
      if (ids.size === 0) continue;
      const next = this.oldestByState.get(state)?.next();
      if (next && !next.done) return next.value;
      const fromTheStart = ids.values();
      this.oldestByState.set(state, fromTheStart);
      return fromTheStart.next().value;
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

  private idsIn(state: JournalState): Set<string> {
    const ids = this.idsByState.get(state) ?? new Set();
    this.idsByState.set(state, ids);
    return ids;
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

function isWithin(scope: JournalScope, record: JournalRecord): boolean {
  return (
    scope.account === record.account &&
    scope.environment === record.environment &&
    scope.family === record.family
  );
}
