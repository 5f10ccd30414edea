import { PaymentsStorageError, isPaymentsError } from '../../errors/payments-errors.js';
import { textResult } from '../sql/driver-result.js';
import { type SqlResult, type SqlScript, type SqlStatement, statementsOf } from '../sql/sql-database.js';
import { CLOCK } from './sqlite-dialect.js';
import {
  openSqlite,
  type SqliteHandle,
  type SqlitePrepared,
  type SqliteValue,
  withObjects,
} from './sqlite-engine.js';

/** How many statements a connection keeps compiled. */
const COMPILED = 64;
/** A savepoint that lasts as long as the transaction of the handlers. */
const MARK = 'nestjs_payments_claim';
/** SQLite cuts the WAL file to this size after a large transaction. */
const LOG_BYTES = 16_777_216;
/** Another connection writes. */
export const SQLITE_BUSY = 5;

/** One connection to a file. Everything of it happens at once, and nothing waits. */
export class SqliteConnection {
  private readonly compiled = new Map<string, SqlitePrepared>();
  private moment = 0;

  private readonly exec: SqliteHandle['exec'];
  private readonly prepare: SqliteHandle['prepare'];
  private readonly closeHandle: SqliteHandle['close'];

  private constructor(
    readonly handle: SqliteHandle,
    private readonly now: () => number,
  ) {
    // A handler gets the same object with other methods.
    this.exec = handle.exec.bind(handle);
    this.prepare = handle.prepare.bind(handle);
    this.closeHandle = handle.close.bind(handle);
  }

  /** Every commit is on the disk before it is answered. */
  static open(file: string, now: () => number): SqliteConnection {
    const handle = openSqlite(file);
    const connection = new SqliteConnection(handle, now);
    return connection.ready(() => {
      handle.exec(
        `PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA journal_size_limit = ${LOG_BYTES}`,
      );
      handle.function(CLOCK, () => connection.moment);
    });
  }

  /** A connection of the application, in the transaction that it has begun. */
  static join(handle: SqliteHandle, now: () => number): SqliteConnection {
    const connection = new SqliteConnection(handle, now);
    handle.function(CLOCK, () => connection.moment);
    return connection;
  }

  /** Whether the connection is the one that was joined: the application may have closed it, and opened it again. */
  isReady(): boolean {
    try {
      this.prepare(`SELECT ${CLOCK}()`);
      return true;
    } catch {
      return false;
    }
  }

  /** Opens a file, and begins a transaction whose end is noticed by `isBegun`. */
  static begin(file: string, now: () => number): SqliteConnection {
    const connection = SqliteConnection.open(file, now);
    return connection.ready(() => {
      connection.exec(`BEGIN IMMEDIATE; SAVEPOINT ${MARK}`);
    });
  }

  /** Runs an operation. Undefined if it must write and may not: then nothing was written. */
  run(script: SqlScript, mayWrite: boolean): SqlResult | undefined {
    const statements = statementsOf(script);
    for (let next = statements.next(); ;) {
      if (next.done) return next.value;
      if (!mayWrite && next.value.counts) return undefined;
      next = statements.next(this.ask(next.value));
    }
  }

  /** Runs an operation, all of it or nothing. */
  runAtomic(script: SqlScript): SqlResult {
    this.exec('BEGIN IMMEDIATE');
    try {
      const result = this.run(script, true);
      this.commit();
      return result ?? { rows: [], rowCount: null };
    } catch (error) {
      this.exec('ROLLBACK');
      throw error;
    }
  }

  /** Runs one statement. */
  ask({ text, values = [], counts }: SqlStatement): SqlResult {
    this.moment = this.now();
    const statement = this.prepared(text);
    const given = values as SqliteValue[];
    if (counts) return { rows: [], rowCount: Number(statement.run(...given).changes) };
    return textResult(statement.all(...given));
  }

  /**
   * Whether the transaction of `begin` has not ended; it can be asked once. SQLite itself ends one, for example at `OR
   * ROLLBACK` or on a full disk, and commits each statement that comes after that.
   */
  isBegun(): boolean {
    try {
      this.exec(`RELEASE ${MARK}`);
      return true;
    } catch {
      return false;
    }
  }

  commit(): void {
    this.exec('COMMIT');
  }

  /** Never throws, not even if a handler has closed it: the callers that wait for their turn would wait forever. */
  close(): void {
    this.compiled.clear();
    try {
      this.closeHandle();
    } catch {
      // It is closed.
    }
  }

  /** Closes the connection if it cannot be prepared for use. */
  ready(prepare: () => void): this {
    try {
      prepare();
      return this;
    } catch (error) {
      this.close();
      throw error;
    }
  }

  private prepared(text: string): SqlitePrepared {
    const known = this.compiled.get(text);
    if (known) return known;
    if (this.compiled.size >= COMPILED) this.compiled.clear();
    const statement = withObjects(this.prepare(text));
    this.compiled.set(text, statement);
    return statement;
  }
}

export function isBusy(error: unknown): boolean {
  return codeOf(error) === SQLITE_BUSY;
}

/** What to do about a file that cannot be opened, by result code. */
const CANNOT_OPEN: ReadonlyMap<number, string> = new Map([
  [14, 'Name a file in a folder that is there, and in which this process may read and write.'],
  [26, 'Name another file: this one is no database of SQLite.'],
]);

/**
 * Converts an error of SQLite without its own text, which may repeat stored data.
 *
 * @param file The file, while it is being opened.
 */
export function sqliteFailure(error: unknown, file?: string): Error {
  if (isPaymentsError(error)) return error;
  const why = error instanceof Error && 'errstr' in error ? String(error.errstr) : 'unknown';
  const code = codeOf(error);
  const advice = CANNOT_OPEN.get(code);
  return new PaymentsStorageError(
    file === undefined || advice === undefined
      ? `SQLite did not do what it was asked: ${why} (${code}).`
      : `SQLite cannot open ${file}: ${why} (${code}). ${advice}`,
  );
}

/** The primary result code: an extended one has more in its higher bits. */
function codeOf(error: unknown): number {
  return error instanceof Error && 'errcode' in error ? Number(error.errcode) & 0xff : 0;
}
