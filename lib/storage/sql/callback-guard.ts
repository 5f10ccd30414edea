import { PaymentsStorageError } from '../../errors/payments-errors.js';
import { TransactionGuard } from './transaction-guard.js';

const LEFT_OPEN =
  'A handler returned in the middle of a nested transaction, whose first half would be committed: await every transaction that a ' +
  'handler begins.';
const SAVEPOINT = /^\s*savepoint\s+"?(\w+)/i;
const SAVEPOINT_ENDS = /^\s*(?:release(?:\s+savepoint)?|rollback\s+to(?:\s+savepoint)?)\s+"?(\w+)/i;

/** Guards a transaction that an ORM ends by itself, when the function that it called has ended. */
export class CallbackGuard extends TransactionGuard {
  private readonly nested = new Set<string>();

  /** @param nestedNames The names that the ORM gives to the savepoints of its nested transactions. */
  constructor(private readonly nestedNames: RegExp) {
    super('postgres');
  }

  override run<T>(text: string, send: () => Promise<T>): Promise<T> {
    const [, begun] = SAVEPOINT.exec(text) ?? [];
    if (begun !== undefined && this.nestedNames.test(begun)) this.nested.add(begun);
    const [, ended] = SAVEPOINT_ENDS.exec(text) ?? [];
    if (ended !== undefined) this.nested.delete(ended);
    return super.run(text, send);
  }

  /**
   * Runs the function. Afterwards the ORM's own COMMIT or ROLLBACK may come.
   *
   * @throws PaymentsStorageError if the function did what keeps its work from being committed.
   */
  async during<T>(work: () => Promise<T>): Promise<T> {
    try {
      const result = await work();
      if (this.nested.size > 0) throw new PaymentsStorageError(LEFT_OPEN);
      this.ending('commit');
      return result;
    } catch (error) {
      this.ending('rollback');
      throw error;
    }
  }
}
