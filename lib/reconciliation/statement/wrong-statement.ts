import { PaymentsValidationError } from '../../errors/payments-errors.js';

/** One sentence about a statement. */
export function wrongStatement(problem: string): PaymentsValidationError {
  return new PaymentsValidationError({ statement: [problem] }, {}, 'The statement cannot be used');
}
