import { PaymentsStorageError } from '../../errors/payments-errors.js';
import { timeLimited } from '../sql/statement-timeout.js';
import { type SqlExecutor, type SqlTransaction, type SqlTransactionOptions } from '../sql/sql-executor.js';

/** What the callback rejects with to have the transaction rolled back. */
class RolledBack extends PaymentsStorageError {
  constructor() {
    super('The webhook transaction was rolled back, because a handler failed or its time is over.');
  }
}

/** A transaction of a callback, turned inside out: it is open until somebody asks for its end. */
export class OpenTransaction {
  private asked: 'commit' | 'rollback' | undefined;
  /** Lets the callback go. */
  private end: (how: 'commit' | 'rollback') => void = () => undefined;

  private constructor(
    readonly transaction: SqlTransaction,
    private readonly ended: Promise<void>,
  ) {}

  /** Begins a transaction. Rolls back one that begins too late. */
  static async begin(executor: SqlExecutor, options: SqlTransactionOptions): Promise<OpenTransaction> {
    let letGo: (how: 'commit' | 'rollback') => void = () => undefined;
    const ending = new Promise<'commit' | 'rollback'>((resolve) => (letGo = resolve));
    let ended: Promise<void> = Promise.resolve();
    const begun = new Promise<SqlTransaction>((resolve, reject) => {
      let isBegun = false;
      const work = async (transaction: SqlTransaction): Promise<void> => {
        // A second transaction would be committed without what the handlers wrote into the first.
        if (isBegun) throw new RolledBack();
        isBegun = true;
        resolve(transaction);
        if ((await ending) === 'rollback') throw new RolledBack();
      };
      ended = executor.transaction(work, options);
      ended.then(() => {
        reject(new PaymentsStorageError('The executor resolved a transaction that it had not begun.'));
      }, reject);
    });
    try {
      const open = new OpenTransaction(await timeLimited(begun, 'a transaction of the pool'), ended);
      open.end = letGo;
      return open;
    } catch (error) {
      letGo('rollback');
      throw error;
    }
  }

  /** Rejects if nothing was committed, or if nobody knows. */
  commit(): Promise<void> {
    this.ask('commit');
    return timeLimited(this.ended, 'the answer to COMMIT');
  }

  /** Rejects if COMMIT was asked for before, or if the end is unknown: the server itself may still be about to commit. */
  async rollback(): Promise<void> {
    this.ask('rollback');
    if (this.asked === 'commit') throw new PaymentsStorageError('The answer to COMMIT was lost.');
    const rolledBack = this.ended.catch((error: unknown) => {
      if (!(error instanceof RolledBack)) throw error;
    });
    await timeLimited(rolledBack, 'the answer to ROLLBACK');
  }

  /** Calls back when it has ended, however it ended: its connection is free again. */
  whenEnded(call: () => void): void {
    this.ended.then(call, call);
  }

  /** Asks for the end; the first one who asks decides. */
  private ask(how: 'commit' | 'rollback'): void {
    this.asked ??= how;
    this.end(this.asked);
  }
}
