import { type CountedPayment, type DailyCapReached, type DailyShare } from '../daily-cap.js';
import {
  type DailyCapStore,
  type JournalInsertion,
  type JournalKey,
  type JournalRecord,
  type JournalScope,
  type StoredJournalRecord,
} from '../journal-store.js';
import { PaymentsStorageError } from '../../errors/payments-errors.js';
import { storedRecord } from './journal-rows.js';
import { type RunScript, type SqlRow } from './sql-database.js';
import { type DailyCapStatements } from './sql-statements.js';

/** Each further try means that another process wrote or removed the payment in between. */
const TRIES = 10;

/** What the daily caps need of the journal. */
interface Journal {
  get(key: JournalKey): Promise<StoredJournalRecord | undefined>;
  /** Undefined if another process wrote the row after the operation began. */
  readInsertion(row: SqlRow | undefined, record: JournalRecord): Promise<JournalInsertion | undefined>;
}

/** The daily caps in an SQL database. A payment is written and counted by one operation. */
export class SqlDailyCaps implements DailyCapStore {
  constructor(
    private readonly run: RunScript,
    private readonly statements: DailyCapStatements,
    private readonly journal: Journal,
  ) {}

  async insert(
    record: JournalRecord,
    leaseMs: number,
    share: DailyShare,
  ): Promise<(JournalInsertion & CountedPayment) | DailyCapReached> {
    for (let tries = 0; tries < TRIES; tries += 1) {
      const [row] = (await this.run(this.statements.insert(record, leaseMs, share))).rows;
      const result = await this.readRow(row, record, share);
      if (result) return result;
    }
    throw new PaymentsStorageError(
      'The payment could not be written: other processes kept writing and removing it. Make the same call again.',
    );
  }

  async replace(
    version: number,
    record: JournalRecord,
    leaseMs: number,
    share: DailyShare,
  ): Promise<(StoredJournalRecord & CountedPayment) | DailyCapReached | undefined> {
    const [row] = (await this.run(this.statements.replace(version, record, leaseMs, share))).rows;
    if (!row) return undefined;
    return reachedIn(row) ?? { ...storedRecord(row), countedOn: countedOn(row) };
  }

  async release(scope: JournalScope, day: number, cents: number): Promise<void> {
    await this.run(this.statements.release(scope, day, cents));
  }

  /** Undefined: the operation has to run again. */
  private async readRow(
    row: SqlRow | undefined,
    record: JournalRecord,
    share: DailyShare,
  ): Promise<(JournalInsertion & CountedPayment) | DailyCapReached | undefined> {
    const reached = row && reachedIn(row);
    if (!reached) return this.afterInsertion(row, record, share);
    // Another process may have written the payment since.
    const existing = await this.journal.get(record);
    return existing ? { inserted: false, stored: existing } : reached;
  }

  private async afterInsertion(
    row: SqlRow | undefined,
    record: JournalRecord,
    { cents }: DailyShare,
  ): Promise<(JournalInsertion & CountedPayment) | undefined> {
    const insertion = await this.journal.readInsertion(row, record);
    const day = row && countedOn(row);
    if (!insertion || day === undefined) return insertion;
    if (!insertion.tombstone) return { ...insertion, countedOn: day };
    // The new row made way for a tombstone.
    await this.release(record, day, cents);
    return insertion;
  }
}

function countedOn(row: SqlRow): number | undefined {
  const day = row['counted_on'];
  return day == null ? undefined : Number(day);
}

function reachedIn(row: SqlRow): DailyCapReached | undefined {
  const day = row['reached_on'];
  return day == null ? undefined : { reachedOn: Number(day) };
}
