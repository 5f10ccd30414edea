import { withoutInvisible } from '../../common/invisible.js';
import { PaymentsValidationError } from '../../errors/payments-errors.js';

const LONGEST = 255;

/**
 * Who does something.
 *
 * @publicApi
 */
export interface BatchActor {
  /**
   * The application's own id of the person, 1 to 255 characters. Blanks around it and invisible characters do not count. The
   * audit trail holds it.
   */
  readonly by: string;
}

/** @throws PaymentsValidationError if nobody is named. */
export function checkActor(actor: { readonly by?: unknown } | undefined): string {
  const by = actor?.by;
  const visible = typeof by === 'string' ? withoutInvisible(by).trim() : '';
  if (visible !== '' && visible.length <= LONGEST) return visible;
  throw new PaymentsValidationError({
    by: [`by must be a text of 1 to ${LONGEST} characters: write who does it, for example { by: user.id }`],
  });
}
