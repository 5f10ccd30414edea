import { closestWord } from '../common/closest-word.js';
import { isRecord } from '../common/json-object.js';
import { PaymentsConfigError } from './payments-errors.js';
import { throwJoined } from './wrong-options.js';

/** Makes the error for an option. The message names the option and what has it: an account or a function. */
export type OptionError = (option: string, problem: string) => PaymentsConfigError;

/** For the options of one account. */
export function optionErrors(account: string): OptionError {
  const ofAccount = account === 'default' ? '' : ` of account "${account}"`;
  return (option, problem) => new PaymentsConfigError(`Payments option \`${option}\`${ofAccount} ${problem}`);
}

/** For the options of a call, for example `memoryStorage()`. */
export function callOptionErrors(call: string): OptionError {
  return (option, problem) => new PaymentsConfigError(`The option \`${option}\` of ${call} ${problem}`);
}

/**
 * The errors of names that no option has. A misspelled option must not pass for one that was left out: a cap that is
 * `undefined` today may have a value in production.
 *
 * @param instead What to write if no option has a similar name.
 */
export function unknownOptions(
  written: readonly string[],
  names: readonly string[],
  path: string,
  error: OptionError,
  instead?: string,
): readonly PaymentsConfigError[] {
  return problemsOf(written, names, path, instead).map(([option, problem]) => error(option, problem));
}

/** The same for a call, which refuses them with a `PaymentsValidationError`: the problems by field. */
export function unknownFields(written: object, names: readonly string[]): Readonly<Record<string, string[]>> {
  const problems = problemsOf(Object.keys(written), names, '');
  return Object.fromEntries(problems.map(([field, problem]) => [field, [`${field} ${problem}`]]));
}

function problemsOf(
  written: readonly string[],
  names: readonly string[],
  path: string,
  instead = `write ${names.length > 1 ? 'one of ' : ''}${names.join(', ')}.`,
): readonly (readonly [name: string, problem: string])[] {
  const foreign: string[] = [];
  const misspelled: [string, string][] = [];
  for (const name of written.filter((each) => !names.includes(each))) {
    const meant = closestWord(name, names);
    if (meant === undefined) foreign.push(optionPath(path, name));
    else
      misspelled.push([
        optionPath(path, name),
        `does not exist: did you mean \`${optionPath(path, meant)}\`?`,
      ]);
  }
  const [first, ...others] = foreign;
  if (first === undefined) return misspelled;
  // A whole object of something else gets one error.
  const more = others.length > 0 ? `, nor do ${others.map((name) => `\`${name}\``).join(', ')}` : '';
  return [...misspelled, [first, `does not exist${more}: ${instead}`]];
}

/**
 * Refuses names that no option has. Says nothing of what is no object.
 *
 * @throws PaymentsConfigError that names every option that does not exist.
 */
export function refuseUnknown(options: unknown, names: readonly string[], error: OptionError): void {
  if (isRecord(options)) throwJoined(unknownOptions(Object.keys(options), names, '', error));
}

/** The name of an option in a section of options. */
export function optionPath(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`;
}
