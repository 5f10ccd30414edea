import { PaymentsValidationError } from '../errors/payments-errors.js';

/** Every id begins with the position of its entry: the order in which events were set aside. */
const POSITION = /^(?:0|[1-9]\d{0,17})(?=\.|$)/;

/**
 * The position after which a page begins; 0 for the first page.
 *
 * @throws PaymentsValidationError if it is not the id of something that was set aside.
 */
export function positionAfter(id: unknown = '0'): string {
  const position = typeof id === 'string' ? positionOf(id) : undefined;
  if (position !== undefined) return position;
  const problem = 'after must be the last id of the page before: write conflicts({ after: page.at(-1)?.id })';
  throw new PaymentsValidationError({ after: [problem] });
}

/** Undefined if it is not the id of something that was set aside. */
export function positionOf(id: string): string | undefined {
  return POSITION.exec(id)?.[0];
}
