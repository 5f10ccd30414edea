import { type PaymentsConfigError } from '../errors/payments-errors.js';
import { type OptionError, unknownOptions } from '../errors/option-errors.js';
import { OPTIONS } from './option-defaults.js';
import { CREDENTIAL_OPTIONS } from './resolve-credentials.js';

/** The options of a registration. */
export const OPTION_NAMES: readonly string[] = [
  ...Object.keys(CREDENTIAL_OPTIONS),
  ...Object.keys(OPTIONS),
  'webhooks',
  'accounts',
];
/** What `forRoot` and `forRootAsync` take for themselves. */
export const MODULE_SETTINGS: readonly string[] = ['name', 'isGlobal'];

/** The errors of names that no option of a registration has. */
export function unknownNames(
  options: Readonly<Record<string, unknown>>,
  error: OptionError,
): readonly PaymentsConfigError[] {
  const written = Object.keys(options);
  const misplaced = MODULE_SETTINGS.filter((name) => written.includes(name)).map((name) =>
    // Only the result of a factory still holds it: it comes too late for Nest, which has named the account already.
    error(name, 'is a setting of the module, not an option: write it beside the factory, not in its result.'),
  );
  const names = [...OPTION_NAMES, ...MODULE_SETTINGS];
  const instead = `a factory returns nothing but options, so no instance with fields of its own. Write one of ${names.join(', ')}.`;
  return [...misplaced, ...unknownOptions(written, names, '', error, instead)];
}
