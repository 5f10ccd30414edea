import { type PaymentsErrorDetails, PaymentsValidationError } from '../../errors/payments-errors.js';

/** The error of a call that stopped before it sent anything. */
export function wrongRequest(
  errors: PaymentsValidationError['errors'],
  details: PaymentsErrorDetails,
): PaymentsValidationError {
  return new PaymentsValidationError(errors, details, 'Nothing was sent: the request is wrong');
}
