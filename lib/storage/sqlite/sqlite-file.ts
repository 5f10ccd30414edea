import { resolve } from 'node:path';
import { performance } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { PaymentsStorageError } from '../../errors/payments-errors.js';
import { WITHIN_MS } from '../sql/statement-timeout.js';
import { transactionHindered } from '../sql/run-again.js';
import { OwnerContext } from '../sql/owner-context.js';
import { finishHeld } from '../sql/portable-inbox.js';
import {
  type HeldKey,
  type RunScript,
  type SqlDatabase,
  type SqlResult,
  type SqlScript,
  type SqlSession,
} from '../sql/sql-database.js';
import { isBusy, SQLITE_BUSY, SqliteConnection, sqliteFailure } from './sqlite-connection.js';
import { SQLITE } from './sqlite-dialect.js';
import { type OpenFile, openFile } from './open-file.js';
import { checkedTransaction, checkStillOpen } from './joined-transaction.js';
import { guardTransaction } from './transaction-guard.js';
import { Semaphore } from '../sql/semaphore.js';

/** How often the storage looks whether another connection of the application still writes. */
const POLL_MS = 10;

/** It would wait for the end of the handler that waits for it. */
const NO_PAYMENT =
  'SQLite has one writer, and that is the transaction of this handler: a payment of it could not be written down before it is ' +
  'sent. Enlist it in the transaction of the handler (enlist…(context.transaction, request)): it is sent after the commit.';

/** The delivery whose handlers call. */
const handling = new OwnerContext<SqliteFile, SqliteSession>();

/**
 * A file of SQLite as a database. SQLite has one writer at a time, so writers wait for each other. A transaction of handlers
 * stays the writer until it ends, on a connection of its own; who only reads waits for nobody.
 */
export class SqliteFile implements SqlDatabase {
  private readonly writers = new Semaphore(1);
  /** The application's own connections whose transactions were joined. */
  private readonly joined = new WeakMap<object, SqliteConnection>();
  private opened: OpenFile | undefined;
  private isClosed = false;
  private readonly path: string;

  /** Opens nothing: a process may import a module whose application another process runs. */
  constructor(
    path: string,
    private readonly now: () => number,
  ) {
    // The working directory may change.
    this.path = resolve(path);
  }

  /**
   * Opens the file, also after `close`.
   *
   * @throws PaymentsStorageError if another storage has it.
   */
  open(): void {
    this.isClosed = false;
    this.use();
  }

  readonly run: RunScript = async (script) => {
    const read = this.read(script);
    if (read) return read;
    if (handling.get(this)?.isOpen) throw new PaymentsStorageError(NO_PAYMENT);
    await this.acquireWriter();
    try {
      return await this.write(script);
    } finally {
      this.releaseWriter();
    }
  };

  /**
   * A transaction on a connection of the application is not the storage's: it is no writer here, and has no guard. What another
   * connection hinders is not repeated: the transaction may have ended by then, and the write would be committed alone.
   */
  readonly join = (transaction: unknown): Promise<RunScript> => {
    const session = handling.get(this);
    if (session?.isOpen && session.handle === transaction) return Promise.resolve(session.run);
    return new Promise((resolve) => {
      const handle = checkedTransaction(transaction, this.use().file);
      const known = this.joined.get(handle);
      const connection = known?.isReady() ? known : SqliteConnection.join(handle, this.now);
      this.joined.set(handle, connection);
      resolve(
        (script) =>
          new Promise((written) => {
            // Nothing waits from here to the write, so the transaction cannot end in between.
            checkStillOpen(handle);
            written(inTransaction(connection, script));
          }),
      );
    });
  };

  connect(): Promise<SqlSession> {
    return Promise.resolve(new SqliteSession(this));
  }

  /** Runs what reads only. Undefined if the operation must write. */
  read(script: SqlScript): SqlResult | undefined {
    if (script.atomic) return undefined;
    try {
      return this.use().connection.run(script, false);
    } catch (error) {
      throw sqliteFailure(error);
    }
  }

  /** Runs an operation of the writer. */
  write(script: SqlScript): Promise<SqlResult> {
    const { connection } = this.use();
    return withoutOthers(() =>
      script.atomic
        ? connection.runAtomic(script)
        : (connection.run(script, true) ?? { rows: [], rowCount: null }),
    );
  }

  /** Begins a transaction, on a connection of its own, of the writer. */
  begin(): Promise<SqliteConnection> {
    return withoutOthers(() => SqliteConnection.begin(this.use().file, this.now));
  }

  acquireWriter(): Promise<void> {
    return this.writers.acquire(WITHIN_MS, () => {
      const waited = `Timed out after ${WITHIN_MS} ms waiting for the end of a webhook transaction.`;
      return new PaymentsStorageError(
        `${waited} SQLite has one writer: a handler in a transaction must be short, and wait for nothing.`,
      );
    });
  }

  releaseWriter(): void {
    this.writers.release();
  }

  /** From now on, everything is refused. */
  close(): void {
    this.isClosed = true;
    this.opened?.connection.close();
    this.opened?.lock.close();
    this.opened = undefined;
  }

  /** Opens the file at its first use. */
  private use(): OpenFile {
    if (this.isClosed)
      throw new PaymentsStorageError(`The file ${this.path} is closed: the application has ended.`);
    return (this.opened ??= openFile(this.path, this.now));
  }
}

/** Repeats what another connection of the application hinders, which is over soon or not at all. */
async function withoutOthers<T>(work: () => T): Promise<T> {
  const deadline = performance.now() + WITHIN_MS;
  for (;;) {
    try {
      return work();
    } catch (error) {
      if (!isBusy(error) || performance.now() >= deadline) throw sqliteFailure(error);
    }
    await delay(POLL_MS);
  }
}

/** One delivery as the writer, from its first write to its end. */
class SqliteSession implements SqlSession {
  private isWriter = false;
  private released = false;
  private transaction: SqliteConnection | undefined;

  constructor(private readonly file: SqliteFile) {}

  get handle(): unknown {
    return this.transaction?.handle;
  }

  readonly run: RunScript = async (script) => {
    if (this.released) throw new PaymentsStorageError('The connection to SQLite is gone.');
    if (this.transaction) return inTransaction(this.transaction, script);
    const read = this.file.read(script);
    if (read) return read;
    if (!this.isWriter) await this.file.acquireWriter();
    this.isWriter = true;
    return this.file.write(script);
  };

  get isOpen(): boolean {
    return this.transaction !== undefined;
  }

  within<T>(handlers: () => T): T {
    return handling.run(this.file, this, handlers);
  }

  async begin(): Promise<void> {
    const transaction = await this.file.begin();
    if (this.released) {
      // The lease ended meanwhile: the transaction would block all other writers.
      transaction.close();
      throw new PaymentsStorageError('The connection to SQLite is gone.');
    }
    guardTransaction(transaction.handle);
    this.transaction = transaction;
  }

  finishAndCommit(held: HeldKey): Promise<void> {
    return new Promise((resolve) => {
      this.commit(held);
      resolve();
    });
  }

  /** Nothing can come between: the rollback closes the connection at once. */
  block(): void {
    this.closeTransaction();
  }

  rollback(): Promise<void> {
    this.closeTransaction();
    return Promise.resolve();
  }

  release(): void {
    if (this.released) return;
    this.released = true;
    this.closeTransaction();
    if (this.isWriter) this.file.releaseWriter();
  }

  private commit(held: HeldKey): void {
    const { transaction } = this;
    if (!transaction) throw new PaymentsStorageError('The connection to SQLite is gone.');
    try {
      if (!transaction.isBegun() || transaction.ask(finishHeld(SQLITE, held)).rowCount !== 1) {
        throw new PaymentsStorageError('The webhook transaction is over, or another delivery has its claim.');
      }
      transaction.commit();
    } catch (error) {
      throw sqliteFailure(error);
    }
  }

  /** Closing rolls back what was not committed, and refuses what a handler still does with it. */
  private closeTransaction(): void {
    this.transaction?.close();
    this.transaction = undefined;
  }
}

function inTransaction(connection: SqliteConnection, script: SqlScript): SqlResult {
  try {
    return connection.run(script, true) ?? { rows: [], rowCount: null };
  } catch (error) {
    if (isBusy(error)) throw transactionHindered({ code: 'ERR_SQLITE_ERROR', errcode: SQLITE_BUSY });
    throw sqliteFailure(error);
  }
}
