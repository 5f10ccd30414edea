import { waitProblem } from '../common/milliseconds.js';
import { FINAL_STATUSES, PAYMENT_FAMILIES, type PaymentFamily } from '../common/vocabulary.js';
import { type PaymentsError, PaymentsValidationError } from '../errors/payments-errors.js';
import { notByThisCall } from './payment/repeated-call-errors.js';

/** @throws PaymentsValidationError if no reference is given, or there is no such family. */
export function checkPayment(family: unknown, reference: unknown): void {
  if (typeof reference !== 'string' || reference === '') {
    const problem = 'reference must be a text that is not empty: write that of the payment';
    throw wrongCall('reference', problem, reference);
  }
  if (typeof family === 'string' && Object.hasOwn(FINAL_STATUSES, family)) return;
  const families = PAYMENT_FAMILIES.map((one) => `'${one}'`);
  throw wrongCall('family', `family must be ${families.join(' or ')}`, reference);
}

/** @throws PaymentsValidationError if `checkPayment` throws it, or payments of the family cannot end so. */
export function checkOutcome(family: PaymentFamily, outcome: unknown, reference: unknown): void {
  checkPayment(family, reference);
  const outcomes: readonly unknown[] = FINAL_STATUSES[family];
  if (outcomes.includes(outcome)) return;
  const problem = `outcome must be a final status of a ${family}: ${outcomes.join(', ')}`;
  throw wrongCall('outcome', problem, reference);
}

/** @throws PaymentsValidationError if it is no time to wait. */
export function checkTimeout(timeoutMs: unknown, reference: unknown): void {
  const problem = waitProblem(timeoutMs, { example: '60_000' });
  if (problem !== undefined) throw wrongCall('timeoutMs', `options.timeoutMs ${problem}`, reference);
}

/** Only the journal knows what happened to the payment, and nobody has looked. */
function wrongCall(field: string, problem: string, reference: unknown): PaymentsError {
  const details = typeof reference === 'string' ? { reference } : {};
  const error = new PaymentsValidationError({ [field]: [problem] }, details);
  return notByThisCall(error, 'The payment stays as it is.');
}
