import { PaymentsConfigError } from '../../errors/payments-errors.js';

const HEADER_NAME = /^[!#$%&'*+.^_`|~\w-]+$/;
const UNITS = ['s', 'ms', 'iso'];

/** Refuses an option of one scheme. */
export type WrongOption = (option: string, problem: string) => never;

export function wrongOptionOf(scheme: string): WrongOption {
  return (option, problem) => {
    throw new PaymentsConfigError(`The option ${option} of ${scheme}() ${problem}.`);
  };
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
