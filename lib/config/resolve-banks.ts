import { type OptionError, section, wholeNumber } from './option-checks.js';
import { type ResolvedBankDirectory } from './resolved-options.js';

const FIELDS = ['maxAgeMs', 'staleIfErrorMs'];

/** How long the list of banks is kept; undefined: not at all. */
export function resolveBanks(
  options: Record<string, unknown>,
  error: OptionError,
): ResolvedBankDirectory | undefined {
  if (options['banks'] === undefined) return undefined;
  const banks = section(options, 'banks', error, FIELDS);
  const number = (name: keyof ResolvedBankDirectory, min: number, fallback: number): number =>
    wholeNumber(error, `banks.${name}`, banks[name], { min, fallback });
  return {
    maxAgeMs: number('maxAgeMs', 1, 3_600_000),
    staleIfErrorMs: number('staleIfErrorMs', 0, 86_400_000),
  };
}
