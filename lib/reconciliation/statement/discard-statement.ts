import { SafeLogger } from '../../common/safe-logger.js';
import { failureLabel } from '../../errors/payments-errors.js';
import { type Statement } from './statement-row.js';

/** Gives up a statement that was not read. A failure replaces nothing: the day is closed, or was refused with a reason of its own. */
export async function discardStatement(statement: Statement | undefined): Promise<void> {
  try {
    if (typeof statement?.discard === 'function') await statement.discard();
  } catch (error) {
    new SafeLogger('Reconciliation').warn(`The discard() of a statement failed: ${failureLabel(error)}`);
  }
}
