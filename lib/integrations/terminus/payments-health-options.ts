import { waitProblem } from '../../common/milliseconds.js';
import { DEFAULT_ACCOUNT } from '../../common/vocabulary.js';
import { isRecord } from '../../common/json-object.js';
import { type OptionError, unknownOptions } from '../../errors/option-errors.js';
import { throwJoined } from '../../errors/wrong-options.js';
import { PaymentsConfigError } from '../../errors/payments-errors.js';

/**
 * What to check, and when it counts as down.
 *
 * @publicApi
 */
export interface PaymentsHealthOptions {
  /** Merchant account: the name in `PaymentsModule.forRoot({ name })`. @default 'default' */
  readonly account?: string | undefined;
  /**
   * Whether to look for the oldest unresolved payment in all accounts that the storage knows, registered or of a resolver.
   * The balance is then read only if `account` names the account whose keys are to be used.
   * @default false
   */
  readonly allAccounts?: boolean | undefined;
  /**
   * Whether to read the balance at the gateway. `false` checks only the application's own parts. Use it for a
   * readiness check: an application out of service receives no webhooks either.
   * @default true
   */
  readonly gateway?: boolean | undefined;
  /**
   * How long a result of the gateway, or a look at all accounts, counts in milliseconds, at most 2147483647; 0: ask every time.
   * @default 30_000
   */
  readonly cacheMs?: number | undefined;
  /** Longest time to wait for the gateway, in milliseconds: 1 to 2147483647. @default 5_000 */
  readonly timeoutMs?: number | undefined;
  /**
   * Age in milliseconds from which an unresolved payment makes the account down.
   * @default no limit: the age is only reported
   */
  readonly maxUnresolvedAgeMs?: number | undefined;
}

/** The options with their defaults. */
export type ResolvedHealthOptions = {
  readonly [Option in keyof PaymentsHealthOptions]-?: NonNullable<PaymentsHealthOptions[Option]>;
};

const DEFAULTS: ResolvedHealthOptions = {
  account: DEFAULT_ACCOUNT,
  allAccounts: false,
  gateway: true,
  cacheMs: 30_000,
  timeoutMs: 5_000,
  maxUnresolvedAgeMs: Infinity,
};

const flag =
  (name: 'gateway' | 'allAccounts') =>
  (value: unknown): string | undefined =>
    typeof value === 'boolean'
      ? undefined
      : `must be true or false: write ${!DEFAULTS[name]}, or leave it out`;

const RULES: Readonly<Record<keyof PaymentsHealthOptions, (value: unknown) => string | undefined>> = {
  account: (value) =>
    typeof value === 'string'
      ? undefined
      : "must be the name of an account: write 'payouts', or leave it out",
  gateway: flag('gateway'),
  cacheMs: (value) => waitProblem(value, { min: 0 }),
  timeoutMs: (value) => waitProblem(value),
  // No timer: it is compared only.
  maxUnresolvedAgeMs: (value) => waitProblem(value, { max: Number.MAX_SAFE_INTEGER }),
  allAccounts: flag('allAccounts'),
};

const error: OptionError = (option, problem) =>
  new PaymentsConfigError(`PaymentsHealthIndicator option \`${option}\` ${problem}`);

/**
 * Reads the options.
 *
 * @throws PaymentsConfigError that names every wrong one.
 */
export function resolveHealthOptions(options: PaymentsHealthOptions): ResolvedHealthOptions {
  if (!isRecord(options)) {
    throw new PaymentsConfigError(
      'The options of PaymentsHealthIndicator must be an object: write { gateway: false }, or leave them out.',
    );
  }
  const given = Object.entries(options).filter(([, value]) => value !== undefined);
  throwJoined([
    ...unknownOptions(Object.keys(options), Object.keys(RULES), '', error),
    ...given.flatMap(([name, value]) => wrongOption(name, value)),
  ]);
  const resolved: ResolvedHealthOptions = { ...DEFAULTS, ...Object.fromEntries(given) };
  // Of all accounts together, nobody says whose keys to use.
  return resolved.allAccounts && options['account'] === undefined
    ? { ...resolved, gateway: false }
    : resolved;
}

function wrongOption(name: string, value: unknown): readonly PaymentsConfigError[] {
  const problem = Object.hasOwn(RULES, name) ? RULES[name as keyof PaymentsHealthOptions](value) : undefined;
  return problem === undefined ? [] : [error(name, `${problem}.`)];
}
