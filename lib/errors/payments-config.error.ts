import { PaymentsError, type PaymentsErrorDetails } from './payments.error.js';

/**
 * An option is wrong (at boot), or the gateway answered with a redirect (at run time).
 * The message names the option, what is wrong with it and what to write instead; it never holds a secret.
 *
 * @publicApi
 */
export class PaymentsConfigError extends PaymentsError {
  override readonly name = 'PaymentsConfigError';

  constructor(message: string, details?: PaymentsErrorDetails) {
    super('CONFIG_INVALID', message, details);
  }
}
