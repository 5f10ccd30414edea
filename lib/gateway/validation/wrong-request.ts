import { closestWord } from '../../common/closest-word.js';
import { type PaymentsErrorDetails, PaymentsValidationError } from '../../errors/payments-errors.js';

/** The error of a call that stopped before it sent anything. */
export function wrongRequest(
  errors: PaymentsValidationError['errors'],
  details: PaymentsErrorDetails,
): PaymentsValidationError {
  return new PaymentsValidationError(errors, details, 'Nothing was sent: the request is wrong');
}

/**
 * What to write in place of a name that does not exist, as the end of a sentence.
 *
 * @param names One of which may be meant.
 * @param path Before the name that is meant.
 * @param instead What to write if none of them is similar.
 */
export function insteadOf(name: string, names: readonly string[], path: string, instead: string): string {
  const meant = closestWord(name, names);
  return meant === undefined ? instead : `did you mean \`${path}${meant}\`?`;
}
