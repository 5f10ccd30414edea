import { AsyncResource } from 'node:async_hooks';
import { PaymentsStorageError } from '../../errors/payments-errors.js';
import { OwnSavepoints, type SavepointStep } from './own-savepoints.js';
import { type TransactionModes, type TransactionStep } from './transaction-statements.js';

/** Sends a text to the connection, as one message. */
type SendText = (text: string) => Promise<unknown>;

/** What a checkout of the pool asks for. Its identity says who owns a nested transaction. */
type Asker = object;

/** A transaction that a handler, or its ORM, began inside of the webhook transaction: a savepoint. */
interface NestedTransaction {
  readonly asker: Asker;
  readonly savepoint: string;
  /** How many savepoints the checkouts had made themselves. */
  readonly before: number;
  /** Nothing was run in it. */
  isFresh: boolean;
  /** It seems to wait for others: their statements run in it too. */
  isShared: boolean;
  /** Statements of others ran in it. */
  hasOthers: boolean;
}

/** A statement that waits for its turn. */
interface Waiting {
  readonly asker: Asker;
  readonly does: 'begin' | 'end' | 'other';
  readonly start: () => Promise<void>;
  readonly refuse: (error: Error) => void;
}

/**
 * How long a nested transaction may be idle while other statements wait for its end. After that its own code
 * seems to wait for them, so they run inside of it.
 */
const IDLE_MS = 20;

/**
 * The statements that handlers and their ORMs send within the webhook transaction, from all checkouts to one connection.
 *
 * One statement runs at a time. BEGIN becomes a savepoint. A connection has one stack of savepoints, so while a
 * nested transaction is open, the statements of all other checkouts wait, and so does a further BEGIN of any
 * checkout. If the nested transaction is idle meanwhile, its code waits for them: it has called a service that has a
 * checkout of its own. Then they run inside of it. If it is rolled back, statements that were answered as done are
 * undone, so the whole delivery fails.
 */
export class HandlerStatements {
  private readonly waiting: Waiting[] = [];
  private readonly nested: NestedTransaction[] = [];
  private readonly savepoints = new OwnSavepoints();
  private isRunning = false;
  private begun = 0;
  private idle: NodeJS.Timeout | undefined;
  /** Why nothing may be committed. */
  private failure: PaymentsStorageError | undefined;
  /** Why nothing more is taken. */
  private refusal: PaymentsStorageError | undefined;

  constructor(private readonly send: SendText) {}

  /** Why nothing more is taken; undefined while handlers run. */
  get over(): PaymentsStorageError | undefined {
    return this.refusal;
  }

  /** Runs a statement that is not about transactions, when it is its turn. */
  run<T>(asker: Asker, work: () => T | Promise<T>): Promise<T> {
    if (this.refusal) return Promise.reject(this.refusal);
    return this.inTurn(asker, 'other', () => {
      const top = this.nested.at(-1);
      if (top) top.isFresh = false;
      return work();
    });
  }

  /** Carries out a statement about transactions. Resolves to what the connection answered to the last text. */
  async step(
    asker: Asker,
    step: Exclude<TransactionStep, SavepointStep | { does: 'other' }>,
  ): Promise<unknown> {
    if (this.refusal) throw this.refusal;
    switch (step.does) {
      case 'begin':
        return this.inTurn(asker, 'begin', () => this.begin(asker, step.modes));
      case 'commit':
      case 'rollback':
        return this.inTurn(asker, 'end', async () => {
          const answer = await this.endNested(asker, step.does);
          return step.chains ? this.begin(asker, {}) : answer;
        });
      case 'set':
        return this.inTurn(asker, 'other', () => this.setModes(asker, step.modes));
      case 'prepare':
        throw this.fail(
          'PREPARE TRANSACTION would end the webhook transaction before its record is written: take it out of the handler.',
        );
    }
  }

  /** Carries out a statement about a savepoint of a checkout. */
  stepToSavepoint(asker: Asker, step: SavepointStep, text: string): Promise<unknown> {
    return this.run(asker, async () => {
      const answer = await this.send(text);
      if (this.savepoints.pass(asker, step) === 'undid others') this.failUndone();
      return answer;
    });
  }

  /** Rolls back what a returned checkout left open. */
  release(asker: Asker): void {
    if (this.refusal || !this.isOpenFor(asker)) return;
    const undo = async (): Promise<void> => {
      while (this.nested.some((open) => open.asker === asker)) await this.endNested(asker, 'rollback');
    };
    this.inTurn(asker, 'end', undo).catch(() => this.fail('A nested transaction could not be rolled back.'));
  }

  /** Refuses further statements of handlers, and runs the last statement after all others. */
  finish<T>(work: () => Promise<T>): Promise<T> {
    this.refusal ??= overError();
    return this.inTurn(this, 'other', () => {
      if (this.failure) throw this.failure;
      if (this.nested.length === 0) return work();
      throw new PaymentsStorageError(
        'A handler returned in the middle of a nested transaction, whose first half would be committed: await every transaction ' +
          'that a handler begins.',
      );
    });
  }

  /** Refuses further statements, and those that wait. */
  abort(): void {
    this.refusal ??= overError();
    clearTimeout(this.idle);
    for (const { refuse } of this.waiting.splice(0)) refuse(this.refusal);
  }

  private inTurn<T>(asker: Asker, does: Waiting['does'], work: () => T | Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const start = (): Promise<void> => Promise.resolve().then(work).then(resolve, reject);
      // A statement that waits is sent from the code of another one: its trace must not belong to that one.
      this.waiting.push({ asker, does, start: AsyncResource.bind(start), refuse: reject });
      this.runNext();
    });
  }

  private runNext(): void {
    if (this.isRunning) return;
    const index = this.waiting.findIndex((statement) => this.mayRun(statement));
    clearTimeout(this.idle);
    const next = index === -1 ? undefined : this.waiting.splice(index, 1)[0];
    if (!next) {
      this.shareWhenIdle();
      return;
    }
    const top = this.nested.at(-1);
    if (top && next.does !== 'end' && next.asker !== top.asker) top.hasOthers = true;
    if (next.does !== 'end') this.savepoints.ran(next.asker);
    this.isRunning = true;
    void next.start().then(() => {
      this.isRunning = false;
      this.runNext();
    });
  }

  private mayRun({ asker, does }: Waiting): boolean {
    const top = this.nested.at(-1);
    if (!top) return true;
    if (does === 'end') return top.asker === asker || !this.isOpenFor(asker);
    return top.isShared || (does === 'other' && top.asker === asker);
  }

  /** Whether a checkout has begun a transaction, or asked for it. */
  private isOpenFor(asker: Asker): boolean {
    return (
      this.nested.some((open) => open.asker === asker) ||
      this.waiting.some((other) => other.asker === asker && other.does === 'begin')
    );
  }

  private shareWhenIdle(): void {
    const top = this.nested.at(-1);
    if (this.waiting.length === 0 || !top || top.isShared) return;
    this.idle = setTimeout(() => {
      top.isShared = true;
      this.runNext();
    }, IDLE_MS);
  }

  private async begin(asker: Asker, { isolation, access }: TransactionModes): Promise<unknown> {
    const savepoint = `nestjs_payments_${(this.begun += 1)}`;
    if (isolation) await this.setIsolation(isolation);
    const answer = await this.send(`SAVEPOINT ${savepoint}`);
    this.nested.push({
      asker,
      savepoint,
      before: this.savepoints.count,
      isFresh: true,
      isShared: false,
      hasOthers: false,
    });
    return access ? this.send(`SET TRANSACTION ${access}`) : answer;
  }

  /** A savepoint has no isolation level of its own: the first statement of the handlers decides for all. */
  private async setModes(asker: Asker, { isolation, access }: TransactionModes): Promise<unknown> {
    const top = this.nested.at(-1);
    let answer: unknown;
    if (isolation && this.nested.length === 1 && top?.isFresh && top.asker === asker) {
      this.nested.pop();
      await this.send(`RELEASE SAVEPOINT ${top.savepoint}`);
      answer = await this.begin(asker, { isolation });
    } else if (isolation) {
      answer = await this.setIsolation(isolation);
    }
    return access ? this.send(`SET TRANSACTION ${access}`) : answer;
  }

  private async setIsolation(isolation: string): Promise<unknown> {
    try {
      return await this.send(`SET TRANSACTION ISOLATION LEVEL ${isolation}`);
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === TOO_LATE)) throw error;
      throw this.fail(
        `A transaction inside of a handler is a part of the webhook transaction, which has begun already and cannot become ` +
          `${isolation} any more: ask for the level before the first statement of the handlers, or set ` +
          'default_transaction_isolation for the pool.',
      );
    }
  }

  private async endNested(asker: Asker, how: 'commit' | 'rollback'): Promise<unknown> {
    const top = this.nested.at(-1);
    if (top?.asker !== asker) {
      throw this.fail(
        `A handler cannot end the webhook transaction, which the package commits together with the record of the delivery: take ` +
          `${how.toUpperCase()} out of the handler. To undo everything, throw an error.`,
      );
    }
    if (how === 'commit') {
      const answer = await this.send(`RELEASE SAVEPOINT ${top.savepoint}`);
      this.popNested();
      return answer;
    }
    const answer = await this.send(
      `ROLLBACK TO SAVEPOINT ${top.savepoint}; RELEASE SAVEPOINT ${top.savepoint}`,
    );
    this.popNested();
    if (top.hasOthers) this.failUndone();
    return answer;
  }

  private popNested(): void {
    const ended = this.nested.pop();
    if (ended) this.savepoints.keep(ended.before);
  }

  private failUndone(): void {
    this.fail(
      'A nested transaction or a savepoint was rolled back in which other statements of the handlers ran, because it waited for ' +
        "them. They are undone with it, though they were answered as done. Use the transaction's own handle (manager, tx, trx) " +
        'for all statements inside of it.',
    );
  }

  /** The webhook transaction can no longer be committed, even if the handler hides the error. */
  private fail(message: string): PaymentsStorageError {
    const error = new PaymentsStorageError(message);
    this.failure ??= error;
    return error;
  }
}

/** PostgreSQL: the isolation level cannot be set now (active_sql_transaction). */
const TOO_LATE = '25001';

function overError(): PaymentsStorageError {
  return new PaymentsStorageError(
    'The webhook transaction is over: await everything that a handler begins, before it returns or throws (Promise.allSettled ' +
      'instead of Promise.all). Work that shall outlive the handler needs a pool that was not made by paymentsPool().',
  );
}
