import { PaymentsValidationError } from '../errors/payments-errors.js';

/** Every id begins with the place of its entry in the order in which deliveries were set aside. */
const PLACE = /^(?:0|[1-9]\d{0,17})(?=\.|$)/;

/**
 * The place after which a page begins; before all of them where there is no page before.
 *
 * @throws PaymentsValidationError where it is not the id of something that was set aside.
 */
export function placeAfter(id = '0'): string {
  const place = placeOf(id);
  if (place !== undefined) return place;
  const problem = 'after must be the last id of the page before: write conflicts({ after: page.at(-1)?.id })';
  throw new PaymentsValidationError({ after: [problem] });
}

/** Undefined where it is not the id of something that was set aside. */
export function placeOf(id: string): string | undefined {
  return PLACE.exec(id)?.[0];
}
