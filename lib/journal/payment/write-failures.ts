import { quoted } from '../../common/quoted.js';
import { SafeLogger } from '../../common/safe-logger.js';
import { type PaymentsStorageError } from '../../errors/payments-errors.js';
import { KeyServiceError } from '../../storage/sealed/encryption.js';
import { CallTrace } from '../../gateway/call-trace.js';
import { type JournalRecord } from '../../storage/journal-store.js';
import { type NewPayment } from './journal-transitions.js';
import { paymentNotWritten } from './repeated-call-errors.js';

const logger = new SafeLogger('PaymentsJournal');

/**
 * Reports a payment that could not be written down: code that only reads the storage does not notice.
 *
 * @param cause What the journal rejected with, if it answered.
 * @returns The error of its call.
 */
export function reportNotSent(payment: NewPayment, why: string, cause?: unknown): PaymentsStorageError {
  const { account, operation, reference } = payment;
  const isUnsealed = cause instanceof KeyServiceError;
  const what = isUnsealed ? 'it cannot be sealed' : 'the journal is unreachable';
  logger.error(`Not sent: ${what}: ${operation} ${quoted(reference)}: ${why}`);
  const error = paymentNotWritten(
    payment,
    isUnsealed ? 'the key service of the option encryption works' : undefined,
  );
  new CallTrace({ account, operation, reference }).refused(error);
  return error;
}

/** Warns of a call whose end could not be written down. */
export function warnNotWritten({ operation, reference }: JournalRecord, why: string): void {
  logger.warn(
    `The result of ${operation} for the reference ${quoted(reference)} could not be written to the journal: ${why}`,
  );
}
