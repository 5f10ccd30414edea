import { type OptionError } from './option-checks.js';
import { type ResolvedRateOptions } from './resolved-options.js';

const LARGEST = 10_000;

/** The caps on calls of one account; undefined: no cap. */
export function resolveRate(rate: Record<string, unknown>, error: OptionError): ResolvedRateOptions {
  const cap = (name: keyof ResolvedRateOptions): number | undefined => {
    const number = rate[name];
    if (number === undefined) return undefined;
    if (typeof number === 'number' && Number.isInteger(number) && number >= 1 && number <= LARGEST)
      return number;
    throw error(
      `rate.${name}`,
      `must be a whole number from 1 to ${LARGEST}: write for example 10, or leave it out for no cap.`,
    );
  };
  return { perSecond: cap('perSecond'), concurrency: cap('concurrency') };
}
