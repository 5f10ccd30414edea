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
import { PaymentsStorageError } from '../../errors/payments-errors.js';
import { intentText } from '../stored-record.js';
import { deleteInBatches } from './delete-in-batches.js';
import {
  cursorAfter,
  type JournalStatements,
  journalStatements,
  pageStart,
  storedRecord,
  storedTombstone,
} from './journal-rows.js';
import { type RunStatement } from './pooled-connection.js';
import { toSqlText } from './sql-text.js';
import { type TableNames } from './table-names.js';

/** Each further try means that another process wrote or removed the payment in between. */
const TRIES = 10;

/** The journal in PostgreSQL. Each call is one statement. */
export class PostgresJournal implements JournalStore {
  private readonly statements: JournalStatements;

  constructor(
    private readonly run: RunStatement,
    names: TableNames,
  ) {
    this.statements = journalStatements(names);
  }

  /**
   * A concurrent purge may have deleted the row that this statement replaced, and left a tombstone that the
   * statement began too early to see. That purge has committed, so a later query sees the tombstone. Without
   * a row there was nothing to purge: newer rows are younger than the statement, which ends within seconds.
   */
  async insert(record: JournalRecord, leaseMs: number): Promise<JournalInsertion> {
    const values = [...keyValues(record), record.state, record.attempt, JSON.stringify(record), leaseMs];
    for (let tries = 0; tries < TRIES; tries += 1) {
      const [row] = (await this.run(this.statements.insert, values)).rows;
      const stored = row && storedRecord(row);
      if (stored && row['inserted'] !== 'instead') return { inserted: row['inserted'] === 'yes', stored };
      const tombstone = await this.tombstone(record);
      if (tombstone) {
        if (stored) await this.remove(record, stored.version);
        return { inserted: false, tombstone };
      }
      // No row and no tombstone: another process wrote the row after the statement began.
      if (stored) return { inserted: true, stored };
    }
    throw new PaymentsStorageError(
      'The payment could not be written: others write and remove it all the time.',
    );
  }

  async get(key: JournalKey): Promise<StoredJournalRecord | undefined> {
    const [row] = (await this.run(this.statements.get, keyValues(key))).rows;
    return row && storedRecord(row);
  }

  async tombstone(key: JournalKey): Promise<PaymentTombstone | undefined> {
    const [row] = (await this.run(this.statements.tombstone, keyValues(key))).rows;
    return row && storedTombstone(row);
  }

  async endTombstone(key: JournalKey, { end, settledBy }: TombstoneEnd): Promise<void> {
    await this.run(this.statements.endTombstone, [...keyValues(key), end, settledBy]);
  }

  async replace(
    version: number,
    record: JournalRecord,
    leaseMs: number,
  ): Promise<StoredJournalRecord | undefined> {
    const { state, attempt } = record;
    const json = JSON.stringify(record);
    const values = [...keyValues(record), state, attempt, json, leaseMs, version, intentText(record)];
    const [row] = (await this.run(this.statements.replace, values)).rows;
    return row && storedRecord(row);
  }

  async remove(key: JournalKey, version: number): Promise<boolean> {
    return (await this.run(this.statements.remove, [...keyValues(key), version])).rowCount === 1;
  }

  async list(
    { account, environment, family }: JournalScope,
    except: readonly JournalState[],
    { after, limit }: { readonly after?: string; readonly limit: number },
  ): Promise<JournalPage> {
    const values = [account, environment, family, except, ...pageStart(after), limit + 1];
    const { rows } = await this.run(this.statements.list, values);
    const page = rows.slice(0, limit);
    const last = page.at(-1);
    return {
      entries: page.map(storedRecord),
      ...(rows.length > limit && last && { next: cursorAfter(last) }),
    };
  }

  purge(
    { account, environment }: Pick<JournalScope, 'account' | 'environment'>,
    what: ForgettablePayments | 'tombstones',
    olderThanMs: number,
  ): Promise<number> {
    return deleteInBatches(this.run, this.statements.purge[what], [account, environment, olderThanMs]);
  }
}

function keyValues({ account, environment, family, reference }: JournalKey): readonly string[] {
  return [account, environment, family, toSqlText(reference)];
}
