import { createHash, randomBytes } from 'node:crypto';
import { type SqlScript } from './sql-database.js';
import { type SqlPiece } from './sql-template.js';

/** Where the dialects differ that share their statements: those without RETURNING and without sequences. */
export interface PortableDialect {
  /** Milliseconds since 1970 by the database's clock, the same throughout a statement. */
  readonly now: SqlPiece;
  /** The end of an INSERT that does nothing if one of its unique keys exists. */
  readonly keepExisting: (table: string, keys: readonly string[]) => SqlPiece;
  /** The end of an INSERT that takes over the new values of these columns, if one of its unique keys exists. */
  readonly takeOver: (
    table: string,
    keys: readonly string[],
    columns: readonly string[],
    more?: SqlPiece,
  ) => SqlPiece;
  /** How many rows one batch of a purge deletes at most. */
  readonly batch: number;
  /** Deletes the first rows of a table that meet a condition, in the order of a column: one batch of a purge. */
  readonly deleteFirst: (
    table: string,
    key: readonly string[],
    condition: SqlPiece,
    order: string,
  ) => SqlScript;
  /** The end of a SELECT whose rows nobody else may change until the end of the transaction. Skips those that others lock. */
  readonly lockRows: SqlPiece;
  /** The same, but waits for the rows that others lock. */
  readonly waitForRows: SqlPiece;
  /**
   * Surround a first write in a transaction of the application. The second one fails if no transaction was open; then
   * the first write must be harmless, because it was committed.
   */
  readonly probe?: { readonly begin: SqlPiece; readonly end: SqlPiece };
}

/** The tables of these dialects. */
export const TABLES = {
  inbox: 'payments_inbox',
  setAside: 'payments_set_aside',
  journal: 'payments_journal',
  tombstones: 'payments_tombstones',
  dailyCounts: 'payments_daily_counts',
  batches: 'payments_batches',
  batchEvents: 'payments_batch_events',
  batchLines: 'payments_batch_lines',
  batchChunks: 'payments_batch_chunks',
  batchCounts: 'payments_batch_counts',
  reconciliation: 'payments_reconciliation',
  migrations: 'payments_migrations',
} as const;

/** A fence that no other claim has: 128 random bits. */
export function newFence(): string {
  return randomBytes(16).toString('hex');
}

/** A version that no other record has: 53 random bits, as many as a number holds. */
export function newVersion(): number {
  return Number(randomBytes(8).readBigUInt64BE() >> 11n);
}

/** What a tombstone keeps of a payment's key: 16 bytes of a hash. A family contains no space. */
export function paymentHash(family: string, reference: string): string {
  return createHash('sha256').update(`${family} ${reference}`).digest('hex').slice(0, 32);
}
