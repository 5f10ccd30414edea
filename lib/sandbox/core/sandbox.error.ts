import { PaymentsError } from '../../errors/payments-errors.js';

/**
 * Why the emulator could not do what you asked.
 *
 * @publicApi
 */
export type SandboxErrorCode =
  'SANDBOX_NOT_FOUND' | 'SANDBOX_AMBIGUOUS' | 'SANDBOX_OTHER_CUSTOMER' | 'SANDBOX_ALREADY_FINAL';

/**
 * The call does not fit the emulator's state: the reference is unknown, or the payment is another customer's
 * or has ended.
 *
 * @publicApi
 */
export class PaymentsSandboxError extends PaymentsError {
  override readonly name = 'PaymentsSandboxError';

  constructor(code: SandboxErrorCode, message: string, reference: string) {
    super(code, message, { reference });
  }
}
