import { AsyncLocalStorage } from 'node:async_hooks';
import { PaymentsStorageError } from '../../errors/payments-errors.js';
import { timeLimited } from './statement-timeout.js';
import { endsTransaction } from './ends-transaction.js';
import { isReadOnlyServer } from './read-only-server.js';
import { type SqlDialect, type SqlRunner, type SqlTransaction } from './sql-executor.js';

const OVER =
  'The webhook transaction is over: await everything that a handler begins, before it returns or throws (Promise.allSettled in the ' +
  'place of Promise.all).';
const NOT_YOURS =
  'The webhook transaction ends after the handlers: take COMMIT, ROLLBACK and release() out of the handler, and in MySQL what changes ' +
  'or locks tables (a savepoint is fine, and so is a nested transaction of an ORM). To undo everything, throw an error.';
const FAILED_LATE =
  'A statement that a handler had begun and not awaited failed after the handlers had returned, so nothing was committed: await ' +
  'everything that a handler begins.';
const BESIDE =
  'A handler wrote beside a nested transaction that was still open, whose ROLLBACK would take that back too: await the nested ' +
  'transaction first, or write through its own handle.';
/** A handler that returned too early. */
export const LEFT_OPEN =
  'A handler returned in the middle of a nested transaction, whose first half would be committed: await every transaction that a ' +
  'handler begins.';
const READ_ONLY = 'The server of the connection takes no writes.';
/** How the package and the ORMs end a transaction. */
const LAST = /^\s*(?:COMMIT|ROLLBACK(?!\s+TO\b))\b/i;

/** What ends a transaction that the package itself has begun, and its connection. */
export interface OwnEnds {
  commit(): Promise<unknown>;
  rollback(): Promise<unknown>;
  /** Sends a statement around the guard. */
  send(text: string): Promise<unknown>;
  /** Gives the connection back. */
  release(): unknown;
  /** Closes it instead. */
  discard(reason: Error): unknown;
}

/** The same connection, but these members take the place of its own. What it has else runs on the connection itself. */
export function withMembers<C extends object>(connection: C, members: object): C {
  return new Proxy(connection, {
    get: (target, name): unknown => {
      if (Object.hasOwn(members, name)) return Reflect.get(members, name);
      const value: unknown = Reflect.get(target, name);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
}

/** The guard whose package sends what runs in this context. */
const sending = new AsyncLocalStorage<TransactionGuard | undefined>();

/**
 * A connection that a handler uses, and whose transaction only the package ends. A statement of code that nobody awaits
 * could fail between the record of the delivery and COMMIT, and take the handlers' writes with it. After COMMIT or
 * ROLLBACK the database would commit it by itself.
 */
export class TransactionGuard {
  protected isClosed = false;
  /** The server takes no writes: the connection is closed in the end. */
  isReadOnly = false;
  private isSent = false;
  /** Why nothing may be committed, even if a handler hides the error. */
  private failure: PaymentsStorageError | undefined;
  private readonly running = new Set<Promise<unknown>>();
  private settled: Promise<void> | undefined;

  constructor(readonly dialect: SqlDialect) {}

  /** COMMIT or ROLLBACK was sent. Until it is answered, its result is unknown. */
  get isOver(): boolean {
    return this.isSent;
  }

  /** Whether the caller is the package. A state cannot tell: a handler's code may run at any time. */
  get isOwn(): boolean {
    return sending.getStore() === this;
  }

  /** Runs what the package sends itself. */
  own<T>(work: () => T): T {
    return sending.run(this, work);
  }

  /** Runs what may come from handlers, inside of what the package sends. */
  foreign<T>(work: () => T): T {
    return sending.run(undefined, work);
  }

  /** Runs a statement, unless it comes too late, or would end the transaction and is not the package's. */
  run<T>(text: string, send: () => Promise<T>): Promise<T> {
    if (this.isSent) return this.refuseLate();
    if (this.isOwn) {
      this.isSent = LAST.test(text);
      return this.watch(send());
    }
    if (this.isClosed) return this.refuseLate();
    return endsTransaction(text, this.dialect) ? this.refuseEnd() : this.follow(this.watch(send()));
  }

  /** The package's view of a runner; the guard sees every statement. */
  transaction(runner: SqlRunner, handle: unknown): SqlTransaction {
    return {
      query: (text, params) => this.own(() => runner.query(text, params)),
      execute: (text, params) => this.own(() => runner.execute(text, params)),
      handle,
      close: () => this.close(),
    };
  }

  /**
   * Runs the work of a transaction that the package itself has begun, and ends it. Gives the connection back, or closes it if its
   * state is unknown. Rejects if nothing was committed, or if nobody knows.
   */
  async ending<T>(ends: OwnEnds, work: () => Promise<T>): Promise<T> {
    try {
      const result = await work();
      await this.close();
      await timeLimited(
        this.own(() => ends.commit()),
        'the answer to COMMIT',
      );
      await this.giveBack(ends);
      return result;
    } catch (error) {
      await this.undo(ends, error as Error);
      throw error;
    }
  }

  /**
   * Takes nothing more from the handlers, and waits for what they began.
   *
   * @throws PaymentsStorageError if nothing may be committed.
   */
  async close(): Promise<void> {
    await this.stop();
    if (this.failure) throw this.failure;
  }

  /** The same before a ROLLBACK. Rejects if something still runs after the time limit of an answer. */
  stop(): Promise<void> {
    this.isClosed = true;
    this.settled ??= this.settle();
    return this.settled;
  }

  /** Refuses what would end the transaction. Nothing is committed then. */
  refuseEnd(): Promise<never> {
    return Promise.reject(this.refusal());
  }

  /** The same, for calls that return no promise. */
  refusal(why = NOT_YOURS): Error {
    return this.fail(why);
  }

  /** Refuses what would share a savepoint with a nested transaction that it does not belong to. */
  refuseBeside(): Error {
    return this.fail(BESIDE);
  }

  /** Prevents the commit, even if a handler hides the error. */
  fail(why: string): PaymentsStorageError {
    this.failure ??= new PaymentsStorageError(why);
    return this.failure;
  }

  /** Rolls back, unless COMMIT was sent. */
  private async undo(ends: OwnEnds, reason: Error): Promise<void> {
    if (this.isSent) {
      await ends.discard(reason);
      return;
    }
    try {
      await this.stop();
      await timeLimited(
        this.own(() => ends.rollback()),
        'the answer to ROLLBACK',
      );
    } catch (error) {
      await ends.discard(error as Error);
      return;
    }
    await this.giveBack(ends);
  }

  private async giveBack(ends: OwnEnds): Promise<void> {
    try {
      if (this.isReadOnly) throw new PaymentsStorageError(READ_ONLY);
      if (this.dialect === 'mysql') await timeLimited(ends.send('SET autocommit = 1'), 'the connection');
      await ends.release();
    } catch (error) {
      await Promise.resolve(ends.discard(error as Error)).catch(() => undefined);
    }
  }

  private refuseLate(): Promise<never> {
    return Promise.reject(new PaymentsStorageError(OVER));
  }

  private async settle(): Promise<void> {
    const ended = await timeLimited(
      Promise.allSettled(this.running),
      'a statement that a handler left running',
    );
    if (ended.some(({ status }) => status === 'rejected')) this.fail(FAILED_LATE);
  }

  private watch<T>(work: Promise<T>): Promise<T> {
    work.catch((error: unknown) => (this.isReadOnly ||= isReadOnlyServer(error)));
    return work;
  }

  private follow<T>(work: Promise<T>): Promise<T> {
    this.running.add(work);
    const done = (): void => void this.running.delete(work);
    work.then(done, done);
    return work;
  }
}
