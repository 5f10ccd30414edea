import { quoted } from '../../common/quoted.js';
import { SafeLogger } from '../../common/safe-logger.js';
import { type PaymentsStorageError } from '../../errors/payments-errors.js';
import { CallTrace } from '../../gateway/call-trace.js';
import { type JournalRecord } from '../../storage/journal-store.js';
import { type NewPayment } from './journal-transitions.js';
import { paymentNotWritten } from './repeated-call-errors.js';

const logger = new SafeLogger('PaymentsJournal');

/**
 * Reports a payment that could not be written down: code that only reads the storage does not notice.
 *
 * @returns The error of its call.
 */
export function reportNotSent(payment: NewPayment, why: string): PaymentsStorageError {
  const { account, operation, reference } = payment;
  logger.error(`Not sent: the journal is unreachable: ${operation} ${quoted(reference)}: ${why}`);
  const error = paymentNotWritten(payment);
  new CallTrace({ account, operation, reference }).refused(error);
  return error;
}

/** Warns of a call whose end could not be written down. */
export function warnNotWritten({ operation, reference }: JournalRecord, why: string): void {
  logger.warn(
    `The result of ${operation} for the reference ${quoted(reference)} could not be written to the journal: ${why}`,
  );
}
