import { PaymentsValidationError } from '../../errors/payments-errors.js';

const LONGEST = 255;

/**
 * Who does something.
 *
 * @publicApi
 */
export interface BatchActor {
  /** The application's own id of the person, 1 to 255 characters. Blanks around it do not count. The audit trail holds it. */
  readonly by: string;
}

/** @throws PaymentsValidationError if nobody is named. */
export function checkActor(actor: { readonly by?: unknown } | undefined): string {
  const by = actor?.by;
  if (typeof by === 'string' && by.trim() !== '' && by.length <= LONGEST) return by.trim();
  throw new PaymentsValidationError({
    by: [`by must be a text of 1 to ${LONGEST} characters: write who does it, for example { by: user.id }`],
  });
}
