import { isRecord } from '../../common/json-object.js';
import { withoutInvisible } from '../../common/invisible.js';
import { unknownFields } from '../../errors/option-errors.js';
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

/**
 * @param names The other options of the call. A misspelled account must not pass for the default one.
 * @throws PaymentsValidationError if nobody is named, or the call has no such option.
 */
export function checkActor(actor: { readonly by?: unknown } | undefined, names?: readonly string[]): string {
  const by = actor?.by;
  const visible = typeof by === 'string' ? withoutInvisible(by).trim() : '';
  const isNamed = visible !== '' && visible.length <= LONGEST;
  const problems = {
    ...(!isNamed && {
      by: [`by must be a text of 1 to ${LONGEST} characters: write who does it, for example { by: user.id }`],
    }),
    ...(isRecord(actor) && names && unknownFields(actor, ['by', ...names])),
  };
  if (Object.keys(problems).length > 0) throw new PaymentsValidationError(problems);
  return visible;
}

/**
 * @param names The options of a call.
 * @throws PaymentsValidationError if it has another one: without a misspelled account, for example, the default one would be meant.
 */
export function checkFields(options: object, names: readonly string[]): void {
  const problems = unknownFields(options, names);
  if (Object.keys(problems).length > 0) throw new PaymentsValidationError(problems);
}
