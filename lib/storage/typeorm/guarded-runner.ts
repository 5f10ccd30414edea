import { PaymentsStorageError } from '../../errors/payments-errors.js';
import { endsTransaction } from '../sql/ends-transaction.js';
import { type TypeOrmQueryRunner } from './typeorm-data-source.js';

type Query = (text: string, ...more: unknown[]) => Promise<unknown>;

/** What a runner has that its interface does not show. */
interface RunnerParts {
  query: Query;
  release: () => Promise<void>;
  stream: (...given: unknown[]) => Promise<unknown>;
  /** PostgreSQL: closes the connection if there is an error. */
  readonly releasePostgresConnection?: (error: Error) => Promise<void>;
}

const OVER =
  'The webhook transaction is over: await everything that a handler begins, before it returns or throws (Promise.allSettled in the ' +
  'place of Promise.all).';
const NOT_YOURS =
  "The webhook transaction ends after the handlers: take COMMIT, ROLLBACK and the query runner's release() out of the handler " +
  '(transaction.transaction() makes a savepoint). To undo everything, throw an error.';

/**
 * A runner whose transaction only the package ends. Between COMMIT and the return of the connection, TypeORM would still
 * run a statement of code that nobody awaits, and the database would commit it by itself, also after a ROLLBACK.
 */
export class GuardedRunner {
  private state: 'open' | 'ending' | 'over' = 'open';
  /** Why nothing may be committed, even if a handler hides the error. */
  private failure: PaymentsStorageError | undefined;
  private readonly running = new Set<Promise<unknown>>();
  private readonly send: Query;
  private readonly giveBack: () => Promise<void>;
  private readonly parts: RunnerParts;

  constructor(private readonly runner: TypeOrmQueryRunner) {
    const parts = runner as unknown as RunnerParts;
    this.parts = parts;
    this.send = parts.query.bind(runner);
    this.giveBack = parts.release.bind(runner);
    const stream = parts.stream.bind(runner);
    parts.query = (text, ...more) => this.query(text, more);
    parts.stream = (...given) => (this.state === 'over' ? refused(OVER) : stream(...given));
    parts.release = () => this.refuseEnd();
  }

  /** Rejects if nothing was committed, or if nobody knows; then the connection is closed. */
  async commit(): Promise<void> {
    if (this.failure) throw this.failure;
    this.state = 'ending';
    await this.runner.commitTransaction();
    if (!this.runner.isTransactionActive) return;
    throw new PaymentsStorageError(
      'A handler returned in the middle of a nested transaction, whose first half would be committed: await every transaction that ' +
        'a handler begins.',
    );
  }

  /** Rolls back, unless COMMIT was sent, and gives the connection back, or closes it if its state is unknown. */
  async rollback(reason: Error): Promise<void> {
    if (this.state === 'over') {
      await this.discard(reason);
      return;
    }
    this.state = 'ending';
    // A nested transaction that is open takes the first of them.
    await this.runner.rollbackTransaction().catch(() => undefined);
    try {
      if (this.runner.isTransactionActive) await this.end('ROLLBACK', []);
      await this.giveBack();
    } catch (error) {
      await this.discard(error as Error);
    }
  }

  release(): Promise<void> {
    return this.giveBack();
  }

  private query(text: string, more: readonly unknown[]): Promise<unknown> {
    if (this.state === 'over') return refused(OVER);
    const ends = endsTransaction(text);
    if (ends && this.state === 'ending') return this.end(text, more);
    if (ends) return this.refuseEnd();
    const work = this.send(text, ...more);
    this.running.add(work);
    const done = (): void => void this.running.delete(work);
    work.then(done, done);
    return work;
  }

  private refuseEnd(): Promise<never> {
    this.failure ??= new PaymentsStorageError(NOT_YOURS);
    return Promise.reject(this.failure);
  }

  /** The last statement. Subscribers of TypeORM may delay those before it. */
  private async end(text: string, more: readonly unknown[]): Promise<unknown> {
    this.state = 'over';
    await Promise.allSettled(this.running);
    return this.send(text, ...more);
  }

  private async discard(error: Error): Promise<void> {
    if (this.parts.releasePostgresConnection) await this.parts.releasePostgresConnection(error);
    else await this.giveBack();
  }
}

function refused(message: string): Promise<never> {
  return Promise.reject(new PaymentsStorageError(message));
}
