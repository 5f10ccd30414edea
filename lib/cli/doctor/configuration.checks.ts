import { PAYMENTS_VARIABLES, optionsFromEnvironment } from '../../config/environment-options.js';
import { optionErrors } from '../../errors/option-errors.js';
import { optionMessages } from '../../errors/wrong-options.js';
import { OPTIONS } from '../../config/option-defaults.js';
import { type WebhookSecret } from '../../config/webhook-options.js';
import { type ResolvedCredentials, resolveCredentials } from '../../config/resolve-credentials.js';
import { PaymentsConfigError } from '../../errors/payments-errors.js';
import { closestWord } from '../../common/closest-word.js';
import { type PackageManager } from '../project/package-manager.js';
import { type ChosenScheme } from '../webhooks/scheme-options.js';
import { type Signing, signingWith } from '../webhooks/signing-options.js';
import { type CheckResult, failed, ok, skipped } from './check.js';

const OPTIONAL = ['PAYMENTS_TIMEOUT_MS', 'PAYMENTS_WEBHOOK_SECRET'];
const optionError = optionErrors('default');

/** Checks which variables are set and which are likely misspelled. Shows no values. */
export function variableCheck(
  environment: NodeJS.ProcessEnv,
  auth: string | undefined,
  manager: PackageManager,
): CheckResult {
  const isSet = (name: string): boolean => Boolean(environment[name]?.trim());
  const notNeeded = auth === 'bearer' ? [...OPTIONAL, 'PAYMENTS_API_SECRET'] : OPTIONAL;
  const unset = PAYMENTS_VARIABLES.filter((name) => !isSet(name));
  const missing = unset.filter((name) => !notNeeded.includes(name));
  const strange = Object.keys(environment).flatMap((name) => {
    const meant = meantBy(name, unset);
    return meant === undefined ? [] : [`${name} is not read: did you mean ${meant}?`];
  });
  const problems = [...missing.map((name) => `${name} is not set`), ...strange];
  if (problems.length === 0) return ok('Variables', `${PAYMENTS_VARIABLES.filter(isSet).join(', ')} are set`);
  return failed(
    'Variables',
    problems.join('; '),
    `Set them in the environment or in .env; ${manager.execThere('sandbox --write-env .env')} writes a set for the emulator.`,
  );
}

function meantBy(name: string, unset: readonly string[]): string | undefined {
  if (!name.startsWith('PAYMENT') || PAYMENTS_VARIABLES.some((known) => known === name)) return undefined;
  return closestWord(name, unset);
}

/**
 * Checks that address and keys belong together, by the rules that stop the boot.
 *
 * @param wanted The options of the command line about the keys.
 */
export function credentialCheck(
  environment: NodeJS.ProcessEnv,
  wanted: Readonly<Record<'environment' | 'auth', string | undefined>>,
): { readonly result: CheckResult; readonly credentials?: ResolvedCredentials } {
  try {
    const options = { ...optionsFromEnvironment(environment), ...wanted };
    const credentials = resolveCredentials(options, optionError);
    const { environment: found, baseUrl } = credentials;
    return { result: ok('Address and keys', `keys for ${found}, ${baseUrl}`), credentials };
  } catch (error) {
    const { fix = '', ...result } = problem('Address and keys', error);
    // The variables name no environment, so only the command line does.
    return { result: { ...result, fix: fix.replace('leave `environment` out', 'leave --environment out') } };
  }
}

/** Checks the time limit, if the environment sets it. */
export function timeoutCheck(environment: NodeJS.ProcessEnv): readonly CheckResult[] {
  const { timeoutMs } = optionsFromEnvironment(environment);
  if (timeoutMs === undefined) return [];
  try {
    OPTIONS.timeoutMs.read(timeoutMs, 'timeoutMs', optionError);
    return [ok('Timeout', `${timeoutMs} ms`)];
  } catch (error) {
    return [problem('Timeout', error)];
  }
}

/** Checks that the package accepts the signing secrets. */
export function secretCheck(
  chosen: ChosenScheme,
  secrets: readonly WebhookSecret[],
): { readonly result: CheckResult; readonly signing?: Signing } {
  const name = 'Webhook secret';
  if (secrets.length === 0) {
    return { result: skipped(name, 'there is none', 'To hear webhooks, set PAYMENTS_WEBHOOK_SECRET.') };
  }
  try {
    const signing = signingWith(chosen, secrets);
    return { result: ok(name, `fits the scheme ${chosen.scheme.name}`), signing };
  } catch (error) {
    return { result: problem(name, error) };
  }
}

/** Splits the package's own messages into the problems and their fixes: of several, each fix names its option. */
function problem(name: string, error: unknown): CheckResult {
  if (!(error instanceof PaymentsConfigError)) throw error;
  const parts = optionMessages(error).map((message) => {
    const [, wrong = message, fix = 'correct it.'] = /^(.*?): (.*)$/s.exec(message) ?? [];
    return { wrong, fix, option: /\boption `?([^\s`]+)/.exec(wrong)?.[1] };
  });
  const fixes = parts.map(({ option, fix }) =>
    option === undefined || parts.length === 1
      ? `${fix.charAt(0).toUpperCase()}${fix.slice(1)}`
      : `${option}: ${fix}`,
  );
  return failed(name, parts.map(({ wrong }) => wrong).join('; '), fixes.join('\n'));
}
