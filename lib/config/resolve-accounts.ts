import { definedFields, isRecord, withInherited } from '../common/json-object.js';
import { type PaymentsConfigError } from '../errors/payments-errors.js';
import { readAll, throwJoined } from '../errors/wrong-options.js';
import { type PaymentsAccountsOptions } from './accounts-options.js';
import {
  checked,
  count,
  milliseconds,
  type OptionTable,
  readOptions,
  type Resolved,
  section,
} from './option.js';
import { type OptionError, optionErrors, unknownOptions } from '../errors/option-errors.js';
import { OPTIONS, WEBHOOK_OPTIONS } from './option-defaults.js';
import { twoAuthorizations } from './http-options.js';
import { OPTION_NAMES, unknownNames } from './option-names.js';
import { CREDENTIAL_OPTIONS, resolveCredentials } from './resolve-credentials.js';
import { type ResolvedPaymentsOptions, type ResolvedWebhookKey } from './resolved-options.js';
import { uncountedCaps } from './uncounted-caps.js';
import { readSharedWebhooks, resolveWebhookSecrets, type SharedWebhookOptions } from './resolve-webhooks.js';

/** The connections to the gateway that all accounts of a resolver share. */
export const CONNECTIONS_OF_ALL = 500;
/** Unless the options say otherwise: an account whose calls hang leaves connections to the others. */
const CONNECTIONS_OF_ONE = CONNECTIONS_OF_ALL / 2;

/** The options of the section `accounts`. */
export const ACCOUNTS_OPTIONS = {
  resolve: checked(
    'function of the name',
    (value): value is PaymentsAccountsOptions['resolve'] => typeof value === 'function',
    'is missing: write resolve: (account) => ({ apiKey, apiSecret }), or undefined if there is no such account.',
  ),
  cacheMs: milliseconds({ min: 1, default: 60_000 }),
  unknownCacheMs: milliseconds({ min: 1, default: 5_000 }),
  timeoutMs: milliseconds({ min: 1, default: 5_000 }),
  maxCached: count({ min: 1, max: 1_000_000, default: 10_000 }),
  maxPathLookups: count({ min: 1, max: 1_000, default: 5 }),
  pathLookupsPerSecond: count({ min: 1, max: 100_000, default: 100 }),
};

/** What a resolver may return; the type is `PaymentsAccountOptions`. */
const BY_ACCOUNT: ReadonlySet<string> = new Set([
  'apiKey',
  'apiSecret',
  'environment',
  'auth',
  'baseUrl',
  'limits',
  'networks',
  'probe',
  'rate',
  'statusPaths',
  'webhooks',
]);
const KEYS = ['apiKey', 'apiSecret', 'environment'];
/** What a resolver may not return. */
const SHARED = OPTION_NAMES.filter((name) => !BY_ACCOUNT.has(name));

/** A registration whose accounts come from a resolver. */
export interface ResolvedResolverOptions {
  /** The name of the registration. */
  readonly account: string;
  readonly storage: ResolvedPaymentsOptions['storage'];
  readonly http: ResolvedPaymentsOptions['http'];
  readonly encryption: ResolvedPaymentsOptions['encryption'];
  readonly timeoutMs: number;
  readonly maxInFlight: number;
  /** Those of accounts that return none. */
  readonly statusPaths: ResolvedPaymentsOptions['statusPaths'];
  readonly accounts: Resolved<typeof ACCOUNTS_OPTIONS>;
  /** Undefined: no account receives webhooks. */
  readonly webhooks: SharedWebhookOptions | undefined;
  /**
   * Checks what a resolver returned for an account.
   *
   * @throws PaymentsConfigError that names every wrong option, and no key.
   */
  readonly optionsOf: (returned: unknown, account: string) => ResolvedPaymentsOptions | undefined;
}

/** Whether options are those of a registration with a resolver. */
export function hasResolver(options: unknown): options is Record<string, unknown> {
  return isRecord(options) && options['accounts'] !== undefined;
}

/**
 * Checks the options of a registration with a resolver, as far as they are known at boot.
 *
 * @throws PaymentsConfigError that names every wrong option.
 */
export function resolveResolverOptions(
  written: Record<string, unknown>,
  name: string,
): ResolvedResolverOptions {
  const error = optionErrors(name);
  const options = withOwnShare(written);
  const { accounts, others, webhooks } = readAll({
    accounts: () => readAccounts(options['accounts'], error),
    others: () =>
      readOptions(OPTIONS, options, '', error, (read) => [
        ...unknownNames(options, error),
        ...twoAuthorizations(options, error),
        ...misplacedKeys(options, error),
        ...uncountedCaps(read, error),
      ]),
    baseUrl: () => CREDENTIAL_OPTIONS.baseUrl.read(options['baseUrl'], 'baseUrl', error),
    auth: () => CREDENTIAL_OPTIONS.auth.read(options['auth'], 'auth', error),
    webhooks: () => sharedWebhooks(options['webhooks'], error),
  });
  const { storage, http, encryption, timeoutMs, maxInFlight, statusPaths } = others;
  return {
    account: name,
    storage,
    http,
    encryption,
    timeoutMs,
    maxInFlight,
    statusPaths,
    accounts,
    webhooks,
    optionsOf: (returned, account) => {
      const itsError = optionErrors(account);
      const own = ownOptions(returned, itsError);
      if (isOfAnother(returned, account, itsError)) return undefined;
      const { credentials, its, keys } = readAll({
        credentials: () =>
          resolveCredentials(
            { auth: options['auth'], baseUrl: options['baseUrl'], ...definedFields(own) },
            itsError,
          ),
        its: () =>
          readOptions(tableOf(own), overShared(options, own, OPTIONS), '', itsError, (read) => [
            ...twoAuthorizations({ auth: own['auth'], http }, itsError),
            ...uncountedCaps({ ...read, storage }, itsError),
          ]),
        keys: () => ownKeys(own['webhooks'], webhooks, itsError),
      });
      // What the account does not change is shared, not copied: there may be thousands. The spreads come last, or each
      // account would have a hidden class of its own.
      const all = { ...credentials, ...others, ...its };
      return { account, webhooks: webhooks && keys && { keys, ...webhooks }, ...all };
    },
  };
}

function withOwnShare({ rate = {}, ...others }: Record<string, unknown>): Record<string, unknown> {
  if (!isRecord(rate)) return { ...others, rate };
  const { concurrency = CONNECTIONS_OF_ONE } = rate;
  return { ...others, rate: { ...withInherited(rate, Object.keys(OPTIONS.rate.fields ?? {})), concurrency } };
}

function readAccounts(written: unknown, error: OptionError): Resolved<typeof ACCOUNTS_OPTIONS> {
  const value = section(ACCOUNTS_OPTIONS).read(written, 'accounts', error);
  // Called on the object, so that a resolver may be a method.
  return { ...value, resolve: value.resolve.bind(written) };
}

function misplacedKeys(options: Record<string, unknown>, error: OptionError): readonly PaymentsConfigError[] {
  // An absent variable of the environment is an empty text.
  return KEYS.filter((name) => (options[name] ?? '') !== '').map((name) =>
    error(name, 'stands beside `accounts`: return it from accounts.resolve, for each account.'),
  );
}

function sharedWebhooks(written: unknown, error: OptionError): SharedWebhookOptions | undefined {
  if (written === undefined) return undefined;
  if (!isRecord(written)) throw error('webhooks', 'must be an object: write { scheme }.');
  if (written['secrets'] === undefined) return readSharedWebhooks(written, error);
  throw error(
    'webhooks.secrets',
    'stands beside `accounts`: return it from accounts.resolve, for each account.',
  );
}

/** The options of one account, without those that it may not have. */
function ownOptions(returned: unknown, error: OptionError): Record<string, unknown> {
  if (!isRecord(returned)) {
    throw error(
      'accounts.resolve',
      'returned no object: return { apiKey, apiSecret }, or undefined if there is none.',
    );
  }
  const shared = SHARED.filter((name) => returned[name] !== undefined);
  const names = [...BY_ACCOUNT].join(', ');
  const problem = `is the same for all accounts: write it beside \`accounts\`. Only these differ by account: ${names}.`;
  const others = Object.keys(returned).filter((name) => !SHARED.includes(name));
  const instead = `return no whole row from accounts.resolve, but these of it: account, ${names}.`;
  throwJoined([
    ...shared.map((name) => error(name, problem)),
    ...unknownOptions(others, ['account', ...BY_ACCOUNT], '', error, instead),
  ]);
  return Object.fromEntries([...BY_ACCOUNT].map((name) => [name, returned[name] ?? undefined]));
}

/** Whether the resolver says that it found the account under another spelling of its name. */
function isOfAnother(returned: unknown, asked: string, error: OptionError): boolean {
  const { account = asked } = returned as { readonly account?: unknown };
  if (typeof account !== 'string') {
    throw error('account', "must be a text: return the account's name as your database holds it.");
  }
  return account !== asked;
}

/**
 * The values of an account. A field of a section that the account leaves out is that of the registration: an account with
 * its own limit of collections keeps the common limit of payouts.
 */
function overShared(
  shared: Readonly<Record<string, unknown>>,
  own: Readonly<Record<string, unknown>>,
  table: OptionTable,
): Record<string, unknown> {
  const entries = Object.entries(own).map(([name, value]) => {
    const common = shared[name];
    if (!isRecord(common) || !isRecord(value)) return [name, value ?? common];
    const fields = table[name]?.fields ?? {};
    const names = Object.keys(fields);
    const [all, changed] = [withInherited(common, names), withInherited(value, names)];
    return [name, { ...all, ...overShared(all, changed, fields) }];
  });
  return Object.fromEntries(entries) as Record<string, unknown>;
}

/** The rows of the table that an account changes. */
function tableOf(own: Record<string, unknown>): Partial<typeof OPTIONS> {
  return Object.fromEntries(Object.entries(OPTIONS).filter(([name]) => own[name] !== undefined));
}

function ownKeys(
  written: unknown,
  shared: SharedWebhookOptions | undefined,
  error: OptionError,
): readonly ResolvedWebhookKey[] | undefined {
  if (written === undefined) return undefined;
  if (!shared) throw error('webhooks', 'need a scheme: write webhooks: { scheme } beside `accounts`.');
  if (!isRecord(written)) throw error('webhooks', 'must be an object: return { secrets }.');
  const only = 'only webhooks.secrets differs by account.';
  const names = Object.keys(written);
  const isCommon = (name: string): boolean => name !== 'secrets' && Object.hasOwn(WEBHOOK_OPTIONS, name);
  const others = names.filter((name) => !isCommon(name));
  throwJoined([
    ...names
      .filter(isCommon)
      .map((name) => error(`webhooks.${name}`, `is the same for all accounts: ${only}`)),
    ...unknownOptions(others, ['secrets'], 'webhooks', error, only),
  ]);
  return resolveWebhookSecrets(written['secrets'], shared.scheme, error);
}
