import { PaymentsStorageError } from '../../errors/payments-errors.js';
import { NestedTransactions } from './nested-transactions.js';
import { TransactionGuard } from './transaction-guard.js';

const LEFT_OPEN =
  'A handler returned in the middle of a nested transaction, whose first half would be committed: await every transaction that a ' +
  'handler begins.';
const BESIDE =
  'A handler wrote beside a nested transaction that was still open, whose ROLLBACK would take that back too: await the nested ' +
  'transaction first, or write through its own handle.';

/** Guards a transaction that an ORM ends by itself, when the function that it called has ended. */
export class CallbackGuard extends TransactionGuard {
  readonly nested: NestedTransactions;
  /** Only the ORM's own end is to come. */
  private isEnding = false;

  /** @param nestedNames The names that the ORM gives to the savepoints of its nested transactions. */
  constructor(nestedNames: RegExp) {
    super('postgres');
    this.nested = new NestedTransactions(nestedNames);
  }

  override run<T>(text: string, send: () => Promise<T>): Promise<T> {
    if (!this.isEnding && !this.nested.admits(text)) return Promise.reject(this.refuseBeside());
    return super.run(text, send);
  }

  /** Refuses what comes beside an open nested transaction. Nothing is committed then. */
  refuseBeside(): Error {
    return this.fail(BESIDE);
  }

  /**
   * Runs the function. Afterwards the ORM's own COMMIT or ROLLBACK may come.
   *
   * @throws PaymentsStorageError if the function did what keeps its work from being committed.
   */
  async during<T>(work: () => Promise<T>): Promise<T> {
    try {
      const result = await work();
      if (this.nested.areOpen) throw new PaymentsStorageError(LEFT_OPEN);
      this.ending('commit');
      return result;
    } catch (error) {
      this.ending('rollback');
      throw error;
    } finally {
      this.isEnding = true;
    }
  }
}
