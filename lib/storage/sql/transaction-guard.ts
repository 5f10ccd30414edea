import { PaymentsStorageError } from '../../errors/payments-errors.js';
import { endsTransaction } from './ends-transaction.js';
import { type SqlDialect } from './sql-executor.js';

const OVER =
  'The webhook transaction is over: await everything that a handler begins, before it returns or throws (Promise.allSettled in the ' +
  'place of Promise.all).';
const NOT_YOURS =
  'The webhook transaction ends after the handlers: take COMMIT, ROLLBACK and release() out of the handler (a savepoint is fine, ' +
  'and so is a nested transaction of an ORM). To undo everything, throw an error.';

/**
 * A connection that a handler uses, and whose transaction only the package ends. Between COMMIT and the return of the
 * connection an ORM would still run a statement of code that nobody awaits, and the database would commit it by itself,
 * also after a ROLLBACK.
 */
export class TransactionGuard {
  private state: 'open' | 'ending' | 'over' = 'open';
  /** Why nothing may be committed, even if a handler hides the error. */
  private failure: PaymentsStorageError | undefined;
  private readonly running = new Set<Promise<unknown>>();

  constructor(private readonly dialect: SqlDialect) {}

  /** COMMIT or ROLLBACK was sent: nobody knows whether it was done, unless it was answered. */
  get isOver(): boolean {
    return this.state === 'over';
  }

  /** Runs a statement, unless it is over or would end the transaction before `ending`. */
  run<T>(text: string, send: () => Promise<T>): Promise<T> {
    if (this.isOver) return this.refuseLate();
    const ends = endsTransaction(text, this.dialect);
    if (ends && this.state === 'ending') return this.end(send);
    return ends ? this.refuseEnd() : this.follow(send());
  }

  /** From now on a COMMIT or ROLLBACK comes from the package. */
  ending(how: 'commit' | 'rollback'): void {
    if (how === 'commit' && this.failure) throw this.failure;
    this.state = 'ending';
  }

  /** Refuses what would end the transaction. Nothing is committed then. */
  refuseEnd(): Promise<never> {
    return Promise.reject(this.refusal());
  }

  /** The same, for what gives no promise. */
  refusal(): Error {
    return this.fail(NOT_YOURS);
  }

  /** Keeps the first reason for which nothing may be committed. */
  protected fail(why: string): PaymentsStorageError {
    this.failure ??= new PaymentsStorageError(why);
    return this.failure;
  }

  refuseLate(): Promise<never> {
    return Promise.reject(new PaymentsStorageError(OVER));
  }

  /** Runs the last statement, after all others: what an ORM does before a statement may take longer for those. */
  private async end<T>(send: () => Promise<T>): Promise<T> {
    this.state = 'over';
    await Promise.allSettled(this.running);
    return send();
  }

  private follow<T>(work: Promise<T>): Promise<T> {
    this.running.add(work);
    const done = (): void => void this.running.delete(work);
    work.then(done, done);
    return work;
  }
}
