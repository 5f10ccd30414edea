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
import { type AccountPage, type AccountPageStart } from '../account-page.js';
import { type JournalState } from '../../common/vocabulary.js';
import { PaymentsStorageError } from '../../errors/payments-errors.js';
import { deleteInBatches } from './delete-in-batches.js';
import { cursorAfter, pageStart, storedRecord, storedTombstone } from './journal-rows.js';
import { readAccounts } from './sql-accounts.js';
import { SqlDailyCaps } from './sql-daily-caps.js';
import { type RunScript, type SqlRow } from './sql-database.js';
import { type DailyCapStatements, type JournalStatements } from './sql-statements.js';

/** Each further try means that another process wrote or removed the payment in between. */
const TRIES = 10;

/** What else a journal in an SQL database can do. */
interface SqlJournalParts {
  /** Gives the journal inside of a transaction; absent if the database has none. */
  readonly within?: JournalStore['within'];
  /** It is inside of a transaction of the application, which may see the tables as they were when it began. */
  readonly isJoined?: boolean;
  readonly dailyCaps?: DailyCapStatements;
}

/** The journal in an SQL database. Each call is one operation. */
export class SqlJournal implements JournalStore {
  readonly within: JournalStore['within'];
  readonly dailyCaps: DailyCapStore | undefined;
  private readonly isJoined: boolean;

  constructor(
    private readonly run: RunScript,
    private readonly statements: JournalStatements,
    { within, isJoined = false, dailyCaps }: SqlJournalParts = {},
  ) {
    this.within = within;
    this.isJoined = isJoined;
    this.dailyCaps = dailyCaps && new SqlDailyCaps(run, dailyCaps, this);
  }

  /**
   * A concurrent purge may have deleted the row that this one replaced, and left a tombstone that the
   * operation began too early to see. That purge has committed, so a later query sees the tombstone, unless the
   * transaction is the application's: it may never see it. Without a row there was nothing to purge: newer rows are
   * younger than the operation, which ends within seconds.
   *
   * @throws PaymentsStorageError
   */
  async insert(record: JournalRecord, leaseMs: number): Promise<JournalInsertion> {
    for (let tries = 0; tries < TRIES; tries += 1) {
      const [row] = (await this.run(this.statements.insert(record, leaseMs))).rows;
      const insertion = await this.readInsertion(row, record);
      if (insertion) return insertion;
    }
    if (this.isJoined) throw rowWasRemoved(record);
    throw new PaymentsStorageError(
      'The payment could not be written: other processes kept writing and removing it. Make the same call again.',
    );
  }

  /** Undefined if another process wrote the row after the operation began. */
  async readInsertion(row: SqlRow | undefined, record: JournalRecord): Promise<JournalInsertion | undefined> {
    const stored = row && storedRecord(row);
    if (stored && row['inserted'] !== 'instead') return { inserted: row['inserted'] === 'yes', stored };
    const tombstone = await this.tombstone(record).catch(async (error: unknown) => {
      // The application may commit anyway.
      if (stored && this.isJoined) await this.remove(record, stored.version).catch(() => undefined);
      throw error;
    });
    const isInDoubt = tombstone !== undefined || this.isJoined;
    if (stored && isInDoubt) await this.remove(record, stored.version);
    if (tombstone) return { inserted: false, tombstone };
    if (stored && isInDoubt) throw rowWasRemoved(record);
    return stored && { inserted: true, stored };
  }

  async get(key: JournalKey): Promise<StoredJournalRecord | undefined> {
    const [row] = (await this.run(this.statements.get(key))).rows;
    return row && storedRecord(row);
  }

  async tombstone(key: JournalKey): Promise<PaymentTombstone | undefined> {
    const [row] = (await this.run(this.statements.tombstone(key))).rows;
    return row && storedTombstone(row);
  }

  async endTombstone(key: JournalKey, ended: TombstoneEnd): Promise<void> {
    await this.run(this.statements.endTombstone(key, ended));
  }

  async replace(
    version: number,
    record: JournalRecord,
    leaseMs: number,
  ): Promise<StoredJournalRecord | undefined> {
    const script = this.statements.replace(version, record, leaseMs);
    try {
      const [row] = (await this.run(script)).rows;
      return row && storedRecord(row);
    } catch (error) {
      const written = script.written?.();
      if (written === undefined) throw error;
      // It was written and could not be read again. The database's times are unknown, but the write was just now.
      const now = Date.now();
      const times = { createdAt: now, updatedAt: now, ageMs: 0, idleMs: 0, leaseLeftMs: leaseMs };
      return { record, version: written, ...times };
    }
  }

  async remove(key: JournalKey, version: number): Promise<boolean> {
    return (await this.run(this.statements.remove(key, version))).rowCount === 1;
  }

  async list(
    scope: JournalScope,
    except: readonly JournalState[],
    { after, from, limit }: { readonly after?: string; readonly from?: number; readonly limit: number },
  ): Promise<JournalPage> {
    const { rows } = await this.run(this.statements.list(scope, except, pageStart(after, from), limit + 1));
    const page = rows.slice(0, limit);
    const last = page.at(-1);
    return {
      entries: page.map(storedRecord),
      ...(rows.length > limit && last && { next: cursorAfter(last) }),
    };
  }

  purge(
    scope: Pick<JournalScope, 'account' | 'environment'>,
    what: ForgettablePayments | 'tombstones',
    olderThanMs: number,
  ): Promise<number> {
    return deleteInBatches(this.run, this.statements.purge(scope, what, olderThanMs));
  }

  accounts(page: AccountPageStart): Promise<AccountPage> {
    return readAccounts(this.run, this.statements.accounts, page);
  }
}

/** The payment of the removed row may have been made and forgotten, which the transaction cannot see. */
function rowWasRemoved({ reference }: JournalKey): PaymentsStorageError {
  return new PaymentsStorageError(
    'The payment could not be written: another process removed its earlier record while the transaction was open.',
    { reference, hint: 'Roll the transaction back, then run the transaction again.' },
    'not-by-this-call',
  );
}
