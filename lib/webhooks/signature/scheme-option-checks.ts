import { isRecord } from '../../common/json-object.js';
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
 * @throws PaymentsConfigError that names every wrong option.
 */
export function checkScheme(scheme: string, check: (wrong: WrongOption) => void): void {
  const errors: PaymentsConfigError[] = [];
  check((option, problem) => {
    errors.push(new PaymentsConfigError(`The option ${option} of ${scheme}() ${problem}.`));
  });
  throwJoined(errors);
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
