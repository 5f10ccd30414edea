import { PaymentsStorageError } from '../errors/payments-errors.js';

/**
 * The journal knows more of a payment than when a webhook of it was compared with it: the process stood still, and others went on.
 * The next delivery finds what they wrote.
 */
export class ChangedMeanwhileError extends PaymentsStorageError {
  constructor(how: string, reference: string) {
    super(`The payment was ${how}: the next delivery finds it.`, { reference });
  }
}
