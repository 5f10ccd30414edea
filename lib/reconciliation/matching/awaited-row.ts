import { failedSend } from '../../journal/payment/repeated-call.js';
import { CUT_MS, type RowMoney } from './classify-payment.js';
import { isOpen, type JournalPayment } from './journal-payment.js';

/**
 * Whether a payment of an earlier day still waits for a row of that day. A statement of many days may be read for each of them, so a
 * row that says nothing for certain is left out: it was reported when its day was closed.
 *
 * @param isAwaited It moved, and a statement should have shown it.
 */
export function awaitsRow(own: JournalPayment, row: RowMoney, isAwaited: boolean): boolean {
  if (row.isFailed) return isOpen(own) && own.cents === row.cents && failedSend(own, row.at) === 'last';
  return row.at + CUT_MS >= own.begunAt && (isOpen(own) || isAwaited);
}
