import { setTimeout } from 'node:timers/promises';
import { PaymentsStorageError } from '../../errors/payments-errors.js';
import { timeLimited } from '../sql/statement-timeout.js';
import { onPool } from '../sql/application-pool.js';
import { DeliveryPermit } from '../sql/delivery-permit.js';
import { LeftOpenError } from '../sql/left-open.js';
import { once } from '../sql/once.js';
import { runAgainError } from '../sql/run-again.js';
import { type ExecutorDialect } from '../sql/executor-dialect.js';
import {
  type HeldKey,
  type RunScript,
  type SqlDatabase,
  type SqlResult,
  type SqlScript,
  type SqlSession,
} from '../sql/sql-database.js';
import { type SqlExecutor, type SqlRunner, type SqlTransaction } from '../sql/sql-executor.js';
import { OpenTransaction } from './open-transaction.js';
import { runSteps } from './run-steps.js';

const NOTHING: SqlScript = { steps: [] };
/** How often an operation runs that the database refuses because of others. */
const TRIES = 6;
/** The second try comes within this time. For each further one it doubles: those that hinder each other part. */
const PAUSE_MS = 10;

/** What the application gave as a database. */
interface ExecutorDatabase extends SqlDatabase {
  /** Prepares the tables, and learns what the dialect must know. Waits for a connection without a time limit. */
  readonly prepare: () => Promise<void>;
}

/** @param ready Prepares the tables. */
export function executorDatabase(
  executor: SqlExecutor,
  dialect: ExecutorDialect,
  ready: () => Promise<unknown>,
): ExecutorDatabase {
  const atOnce = (script: SqlScript, isOver?: () => boolean): Promise<SqlResult> =>
    repeated(executor, dialect, script, isOver);
  const preparation = once(async () => {
    await ready();
    await dialect.prepare?.((script) => atOnce(script));
  });
  const prepared = (): Promise<void> => {
    const begun = preparation.begin();
    return timeLimited(begun, 'the version of the tables').catch((error: unknown) => {
      preparation.beginAgain(begun); // on a connection that says nothing any more, it never ends
      throw error;
    });
  };
  const run: RunScript = async (script) => {
    try {
      await prepared();
      let isOver = false;
      const work = atOnce(script, () => isOver);
      return await timeLimited(work, 'an answer of the database').catch((error: unknown) => {
        isOver = true;
        const { undoLate } = script;
        // An ORM keeps a statement for which the pool has no connection, and runs it later.
        if (undoLate) work.then((late) => atOnce(undoLate(late) ?? NOTHING)).catch(() => undefined);
        throw error;
      });
    } catch (error) {
      throw dialect.failure(error);
    }
  };
  return {
    prepare: preparation.begin,
    run,
    connect: async () => {
      const { pool, poolSize } = onPool(executor.pool ?? executor, executor.poolSize);
      return new ExecutorSession(executor, dialect, run, await DeliveryPermit.acquire(pool, poolSize));
    },
    join: async (transaction, token) => {
      const joined = executor.wrapTransaction(transaction);
      try {
        await prepared();
        const inTransaction = await dialect.join({
          run: (script) => runSteps(joined, script),
          handle: joined.handle,
          own: run,
          token,
        });
        return withFailures(inTransaction, dialect);
      } catch (error) {
        throw runAgainError(error) ?? dialect.failure(error);
      }
    },
  };
}

/**
 * Runs an operation again that others kept from being done: it has done nothing.
 *
 * @param isOver Whether the caller has stopped waiting, and was told that nothing is known of it.
 */
async function repeated(
  executor: SqlExecutor,
  dialect: ExecutorDialect,
  script: SqlScript,
  isOver: () => boolean = () => false,
): Promise<SqlResult> {
  // At a level that has no serialization failures, whatever the default of the server is.
  const again: SqlScript = dialect.atomic ? { ...script, atomic: true } : script;
  for (let tries = 1; ; tries += 1) {
    try {
      return await runOnce(executor, dialect, tries === 1 ? script : again);
    } catch (error) {
      const didNothing = error instanceof LeftOpenError || dialect.mayRunAgain(error);
      if (tries === TRIES || !didNothing) throw error;
      await setTimeout(Math.random() * PAUSE_MS * 2 ** (tries - 1));
      if (isOver()) throw error;
    }
  }
}

function runOnce(executor: SqlExecutor, dialect: ExecutorDialect, script: SqlScript): Promise<SqlResult> {
  return script.atomic
    ? executor.transaction(
        (transaction) => runSteps(transaction, script, dialect.limited),
        dialect.atomic ?? dialect.transaction,
      )
    : runSteps(executor, script, dialect.limited);
}

/**
 * Runs operations in a transaction of the application. A time limit would leave open whether a statement is carried out
 * after it.
 */
function withFailures(run: RunScript, dialect: ExecutorDialect): RunScript {
  return async (script) => {
    try {
      return await run(script);
    } catch (error) {
      throw runAgainError(error) ?? dialect.failure(error);
    }
  };
}

/** Runs an operation in a transaction that somebody else ends. */
function scriptsIn(transaction: SqlRunner, dialect: ExecutorDialect): RunScript {
  return async (script) => {
    try {
      return await timeLimited(runSteps(transaction, script, dialect.limited), 'an answer of the database');
    } catch (error) {
      throw dialect.failure(error);
    }
  };
}

/**
 * One delivery. It has no connection until its transaction begins: what is committed at once runs on any connection of
 * the application's pool, and who waits for a transaction holds nothing.
 */
class ExecutorSession implements SqlSession {
  private open: OpenTransaction | undefined;
  private isBegun = false;
  /** Runs an operation in the transaction, while there is one. */
  private inTransaction: RunScript | undefined;
  private released = false;

  constructor(
    private readonly executor: SqlExecutor,
    private readonly dialect: ExecutorDialect,
    private readonly atOnce: RunScript,
    private readonly permit: DeliveryPermit,
  ) {}

  get handle(): unknown {
    return this.open?.transaction.handle;
  }

  readonly run: RunScript = (script) => {
    if (this.released) return Promise.reject(overError());
    return (this.inTransaction ?? this.atOnce)(script);
  };

  async begin(held: HeldKey, leaseMs: number): Promise<void> {
    try {
      const open = await this.openWithPermit();
      this.open = open;
      if (this.released) {
        // The lease ended meanwhile.
        await open.rollback();
        throw overError();
      }
      this.inTransaction = scriptsIn(open.transaction, this.dialect);
      await this.inTransaction({ steps: this.dialect.begin(held, leaseMs) });
    } catch (error) {
      throw this.dialect.failure(error);
    }
  }

  /** The permit ends with the transaction, whenever that is: until then it has its connection. */
  private async openWithPermit(): Promise<OpenTransaction> {
    this.isBegun = true;
    const release = (): void => {
      this.permit.release();
    };
    try {
      const open = await OpenTransaction.begin(this.executor, this.dialect.transaction);
      open.whenEnded(release);
      return open;
    } catch (error) {
      release();
      throw error;
    }
  }

  within<T>(handlers: () => T): T {
    return this.permit.runHandlers(handlers);
  }

  async finishAndCommit(held: HeldKey): Promise<void> {
    if (!this.open || !this.inTransaction) throw overError();
    await this.closeHandle(this.open.transaction);
    const finished = await this.inTransaction({ steps: this.dialect.finish(held) });
    if (finished.rowCount !== 1) {
      throw new PaymentsStorageError(
        'A handler ended the webhook transaction by itself, or another delivery has its claim: nothing was recorded, and the ' +
          'delivery comes again. Take COMMIT and ROLLBACK out of what the handler runs.',
      );
    }
    try {
      await this.open.commit();
    } catch (error) {
      throw this.dialect.failure(error);
    }
    if (!this.open.transaction.close) await this.checkDone(held);
  }

  /** What the handlers left running could fail after the record, and undo their writes. */
  private async closeHandle(transaction: SqlTransaction): Promise<void> {
    try {
      await timeLimited(Promise.resolve(transaction.close?.()), 'what the handlers left running');
    } catch (error) {
      throw this.dialect.failure(error);
    }
  }

  /** PostgreSQL answers COMMIT of a transaction in which a statement has failed with a ROLLBACK, and no error. */
  private async checkDone(held: HeldKey): Promise<void> {
    const { rows } = await this.atOnce(this.dialect.statements.inbox.state(held));
    if (rows[0]?.['state'] === 'done') return;
    throw new PaymentsStorageError(
      'The database undid the webhook transaction at COMMIT, because a statement in it had failed: await everything that a handler ' +
        'begins, and let its errors through.',
    );
  }

  /** Nothing can come between: the rollback follows at once, and the executor refuses what a handler still does. */
  block(): void {
    this.inTransaction = undefined;
  }

  async rollback(): Promise<void> {
    await this.open?.rollback();
  }

  release(): void {
    if (this.released) return;
    this.released = true;
    if (!this.isBegun) this.permit.release();
    // Rolls back what is still open. After a COMMIT there is nothing left to ask for.
    this.open?.rollback().catch(() => undefined);
  }
}

function overError(): PaymentsStorageError {
  return new PaymentsStorageError('The webhook transaction is over.');
}
