import { LONGEST_TIMER_MS } from '../common/timing.js';
import { PaymentsConfigError } from '../errors/payments-errors.js';

/** Makes the error for an option of one account, which the message names. */
export type OptionError = (option: string, problem: string) => PaymentsConfigError;

export function optionErrors(account: string): OptionError {
  const whose = account === 'default' ? '' : ` of account "${account}"`;
  return (option, problem) => new PaymentsConfigError(`Payments option \`${option}\`${whose} ${problem}`);
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Reads a whole number within bounds, or returns the default for an omitted option. */
export function wholeNumber(
  error: OptionError,
  option: string,
  value: unknown,
  bounds: { readonly min: number; readonly max?: number; readonly fallback: number },
): number {
  if (value === undefined) return bounds.fallback;
  const max = bounds.max ?? LONGEST_TIMER_MS;
  if (typeof value === 'number' && Number.isInteger(value) && value >= bounds.min && value <= max)
    return value;
  throw error(
    option,
    `must be a whole number from ${bounds.min} to ${max}: write for example ${bounds.fallback}, the default.`,
  );
}

/** Reads one of the listed words, or returns the first one for an omitted option. */
export function oneOf<const T extends string>(
  error: OptionError,
  option: string,
  value: unknown,
  words: readonly [T, ...T[]],
): T {
  if (value === undefined) return words[0];
  const found = words.find((word) => word === value);
  if (found !== undefined) return found;
  throw error(option, `is not known: write ${words.map((word) => `'${word}'`).join(' or ')}.`);
}

/** Reads a list of non-blank strings that the check accepts; undefined for an omitted option. */
export function wordList(
  error: OptionError,
  option: string,
  value: unknown,
  check: { readonly pattern: RegExp; readonly example: string },
): ReadonlySet<string> | undefined {
  if (value === undefined) return undefined;
  const fits = (word: unknown): word is string => typeof word === 'string' && check.pattern.test(word);
  if (Array.isArray(value) && value.every(fits)) return new Set(value);
  throw error(option, `must be a list of upper-case words: write for example ${check.example}.`);
}
