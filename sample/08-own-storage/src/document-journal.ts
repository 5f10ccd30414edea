import { createHash } from 'node:crypto';
import {
  type AccountPage,
  type AccountPageStart,
  type JournalInsertion,
  type JournalKey,
  type JournalPage,
  type JournalRecord,
  type JournalScope,
  type JournalState,
  type JournalStore,
  type PaymentTombstone,
  type StoredJournalRecord,
  type TombstoneEnd,
} from 'nestjs-payments';
import { accountsIn, documentId, type Documents, newVersion, NONE, type Versioned } from './documents.js';

/** What `purge` forgets. */
type Forgettable = Parameters<JournalStore['purge']>[1];

interface Payment extends Versioned {
  readonly record: JournalRecord;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly attemptAt: number;
  readonly leaseUntil: number;
}

/** What is left of a payment that was forgotten: under the same id, so a key never has both. */
interface Grave extends Versioned {
  readonly tombstone: PaymentTombstone;
  readonly leftAt: number;
}

export class DocumentJournal implements JournalStore {
  constructor(
    private readonly documents: Documents,
    private readonly now: () => number,
  ) {}

  async insert(record: JournalRecord, leaseMs: number): Promise<JournalInsertion> {
    for (;;) {
      const now = this.now();
      const times = { createdAt: now, updatedAt: now, attemptAt: now, leaseUntil: now + leaseMs };
      const payment: Payment = { version: newVersion(), record, ...times };
      if (await this.documents.write(idOf(record), NONE, payment)) {
        return { inserted: true, stored: this.view(payment) };
      }
      const existing = await this.find(record);
      if (existing && 'record' in existing) return { inserted: false, stored: this.view(existing) };
      if (existing) return { inserted: false, tombstone: existing.tombstone };
    }
  }

  async get(key: JournalKey): Promise<StoredJournalRecord | undefined> {
    const found = await this.find(key);
    return found && 'record' in found ? this.view(found) : undefined;
  }

  async replace(
    version: number,
    record: JournalRecord,
    leaseMs: number,
  ): Promise<StoredJournalRecord | undefined> {
    const found = await this.find(record);
    if (!found || !('record' in found) || found.version !== version) return undefined;
    const now = this.now();
    const isSameAttempt = found.record.attempt === record.attempt && found.record.intent === record.intent;
    const next: Payment = {
      version: newVersion(),
      record,
      createdAt: found.createdAt,
      updatedAt: now,
      attemptAt: isSameAttempt ? found.attemptAt : now,
      leaseUntil: now + leaseMs,
    };
    return (await this.documents.write(idOf(record), version, next)) ? this.view(next) : undefined;
  }

  remove(key: JournalKey, version: number): Promise<boolean> {
    return this.documents.remove(idOf(key), version);
  }

  /** In a database this is a query on an index: account, environment, family, state, createdAt. */
  async list(
    scope: JournalScope,
    except: readonly JournalState[],
    {
      after = '',
      from = 0,
      limit,
    }: { readonly after?: string; readonly from?: number; readonly limit: number },
  ): Promise<JournalPage> {
    const open = (await this.payments(scope))
      .filter(({ payment: { record } }) => record.family === scope.family && !except.includes(record.state))
      .filter(({ payment: { createdAt } }) => createdAt >= from)
      .map(({ id, payment }) => ({ place: `${String(payment.createdAt).padStart(16, '0')} ${id}`, payment }))
      .filter(({ place }) => place > after)
      .sort((one, other) => (one.place < other.place ? -1 : 1));
    const page = open.slice(0, limit);
    const last = page.at(-1);
    const entries = page.map(({ payment }) => this.view(payment));
    return last && open.length > limit ? { entries, next: last.place } : { entries };
  }

  async tombstone(key: JournalKey): Promise<PaymentTombstone | undefined> {
    const found = await this.find(key);
    return found && 'tombstone' in found ? found.tombstone : undefined;
  }

  async endTombstone(key: JournalKey, ended: TombstoneEnd): Promise<void> {
    for (;;) {
      const found = await this.find(key);
      if (!found || !('tombstone' in found)) return;
      const tombstone = { attempt: found.tombstone.attempt, ...ended };
      const grave: Grave = { version: newVersion(), tombstone, leftAt: this.now() };
      if (await this.documents.write(idOf(key), found.version, grave)) return;
    }
  }

  async purge(
    scope: Pick<JournalScope, 'account' | 'environment'>,
    what: Forgettable,
    olderThanMs: number,
  ): Promise<number> {
    const latest = this.now() - olderThanMs;
    let purged = 0;
    for (const [id, found] of await this.documents.all<Payment | Grave>(scopeId(scope))) {
      const isOld = ('record' in found ? found.updatedAt : found.leftAt) < latest;
      if (!isOld || !isForgettable(found, what)) continue;
      const isDone =
        'record' in found
          ? await this.documents.write(id, found.version, {
              version: newVersion(),
              tombstone: tombstoneOf(found.record),
              leftAt: this.now(),
            } as Grave)
          : await this.documents.remove(id, found.version);
      // Who lost meets a payment that has changed meanwhile: it stays.
      if (isDone) purged += 1;
    }
    return purged;
  }

  accounts(page: AccountPageStart): Promise<AccountPage> {
    return accountsIn(this.documents, 'journal', page);
  }

  private find(key: JournalKey): Promise<Payment | Grave | undefined> {
    return this.documents.get(idOf(key));
  }

  private async payments(
    scope: Pick<JournalScope, 'account' | 'environment'>,
  ): Promise<readonly { readonly id: string; readonly payment: Payment }[]> {
    const all = await this.documents.all<Payment | Grave>(scopeId(scope));
    return all.flatMap(([id, found]) => ('record' in found ? [{ id, payment: found }] : []));
  }

  private view({
    version,
    record,
    createdAt,
    updatedAt,
    attemptAt,
    leaseUntil,
  }: Payment): StoredJournalRecord {
    const now = this.now();
    // A clock that was set back revives no lease that has ended.
    const leaseLeftMs = Math.max(0, leaseUntil - Math.max(now, updatedAt));
    return {
      version,
      record,
      createdAt,
      updatedAt,
      ageMs: now - attemptAt,
      idleMs: now - updatedAt,
      leaseLeftMs,
    };
  }
}

function scopeId({ account, environment }: Pick<JournalScope, 'account' | 'environment'>): string {
  return documentId('journal', account, environment);
}

/** A hash, so that a tombstone names nobody. */
function idOf(key: JournalKey): string {
  const hash = createHash('sha256').update(`${key.family} ${key.reference}`).digest('hex');
  return `${scopeId(key)}${hash}`;
}

function isForgettable(found: Payment | Grave, what: Forgettable): boolean {
  if (!('record' in found)) return what === 'tombstones';
  const { state, family } = found.record;
  return what === 'accepted-payouts' ? state === 'accepted' && family === 'disbursement' : state === what;
}

/** A wrong one would advise to pay again. */
function tombstoneOf({ attempt, state, outcome, settledBy, keepsKey }: JournalRecord): PaymentTombstone {
  if (outcome !== undefined) return { attempt, end: outcome, ...(settledBy && { settledBy }) };
  if (state !== 'rejected') return { attempt, end: 'accepted' };
  return { attempt, end: keepsKey ? 'unlisted-refusal' : 'rejected' };
}
