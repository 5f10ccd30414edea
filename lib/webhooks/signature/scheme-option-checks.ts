import { isRecord } from '../../common/json-object.js';
import { callOptionErrors, unknownOptions } from '../../errors/option-errors.js';
import { throwJoined } from '../../errors/wrong-options.js';
import { PaymentsConfigError } from '../../errors/payments-errors.js';

const HEADER_NAME = /^[!#$%&'*+.^_`|~\w-]+$/;
const UNITS = ['s', 'ms', 'iso'];

/** Notes a wrong option of one scheme. */
export type WrongOption = (option: string, problem: string) => void;

/** @throws PaymentsConfigError if the options of a scheme are no object. */
export function schemeOptions<Options extends object>(scheme: string, options: Options): Options {
  if (isRecord(options)) return options;
  throw new PaymentsConfigError(`The options of ${scheme}() must be an object: write ${scheme}({ … }).`);
}

/**
 * Runs the checks of a scheme.
 *
 * @param names The names of its options, and of those of its parts: `signatures.separator`. A part that is missing has none.
 * @throws PaymentsConfigError that names every wrong option.
 */
export function checkScheme(
  scheme: string,
  options: object,
  names: readonly string[],
  check: (wrong: WrongOption) => void,
): void {
  const errors: PaymentsConfigError[] = [...unknownNames(scheme, options, names)];
  check((option, problem) => {
    errors.push(new PaymentsConfigError(`The option ${option} of ${scheme}() ${problem}.`));
  });
  throwJoined(errors);
}

/** A misspelled `timestamp` must not pass for a scheme that signs no time. */
function unknownNames(
  scheme: string,
  options: object,
  names: readonly string[],
): readonly PaymentsConfigError[] {
  const parts = Object.entries(options).filter(([, part]) => isRecord(part));
  const error = callOptionErrors(`${scheme}()`);
  const own = unknownOptions(
    Object.keys(options),
    names.filter((name) => !name.includes('.')),
    '',
    error,
  );
  const inParts = parts.flatMap(([name, part]) => {
    const known = names.filter((one) => one.startsWith(`${name}.`)).map((one) => one.slice(name.length + 1));
    return known.length === 0 ? [] : unknownOptions(Object.keys(part as object), known, name, error);
  });
  return [...own, ...inParts];
}

/** Whether a part of the options is there. Notes one that has no fields. */
export function hasPart<Part extends object>(
  wrong: WrongOption,
  option: string,
  part: Part | undefined,
): part is Part {
  if (part === undefined) return false;
  if (isRecord(part)) return true;
  wrong(option, 'must be an object, or left out');
  return false;
}

export function checkText(wrong: WrongOption, option: string, text: unknown, example: string): void {
  if (typeof text !== 'string') wrong(option, `must be text, for example '${example}'`);
}

export function checkHeaderName(wrong: WrongOption, option: string, name: unknown): void {
  if (typeof name !== 'string' || !HEADER_NAME.test(name)) {
    wrong(option, "must be the name of an HTTP header, for example 'x-webhook-signature'");
  }
}

export function checkUnit(wrong: WrongOption, option: string, unit: unknown, units = UNITS): void {
  if (!units.includes(unit as string)) wrong(option, `must be one of ${units.join(', ')}`);
}

export function checkTolerance(wrong: WrongOption, option: string, seconds: unknown): void {
  if (!Number.isSafeInteger(seconds) || (seconds as number) < 1) {
    wrong(option, 'must be a whole number of seconds from 1 on: write 300');
  }
}
