import { PaymentsStorageError } from '../../errors/payments-errors.js';
import { NestedTransactions } from './nested-transactions.js';
import { type SqlRunner, type SqlTransaction } from './sql-executor.js';
import { LEFT_OPEN, TransactionGuard } from './transaction-guard.js';

/** Guards a transaction that an ORM ends by itself, when the function that it called has ended. */
export class CallbackGuard extends TransactionGuard {
  readonly nested: NestedTransactions;

  /** @param nestedNames The names that the ORM gives to the savepoints of its nested transactions. */
  constructor(nestedNames: RegExp) {
    super('postgres');
    this.nested = new NestedTransactions(nestedNames);
  }

  override run<T>(text: string, send: () => Promise<T>): Promise<T> {
    const isRefused = !this.isOwn && !this.isClosed && !this.nested.admits(text);
    return isRefused ? Promise.reject(this.refuseBeside()) : super.run(text, send);
  }

  override async close(): Promise<void> {
    await super.close();
    if (this.nested.areOpen) throw new PaymentsStorageError(LEFT_OPEN);
  }

  /** What the package uses, on a runner whose statements come by here. */
  transaction(runner: SqlRunner, handle: unknown): SqlTransaction {
    return {
      query: (text, params) => this.own(() => runner.query(text, params)),
      execute: (text, params) => this.own(() => runner.execute(text, params)),
      handle,
      close: () => this.close(),
    };
  }

  /**
   * Runs the function. Afterwards the ORM's own COMMIT or ROLLBACK may come, if the ORM runs in the context of `own`.
   *
   * @throws PaymentsStorageError if the function did what keeps its work from being committed.
   */
  async during<T>(work: () => Promise<T>): Promise<T> {
    try {
      const result = await this.foreign(work);
      await this.close();
      return result;
    } catch (error) {
      // What comes later is refused. The ORM's ROLLBACK waits behind what still hangs.
      await this.stop().catch(() => undefined);
      throw error;
    }
  }
}
