import { type PaymentsEnvironment } from '../common/vocabulary.js';
import { type Option, readOptions, type Resolved, unless, word } from './option.js';
import { type OptionError } from '../errors/option-errors.js';
import { type PaymentsConfigError } from '../errors/payments-errors.js';

const LOOPBACK = /^(localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;
const KINDS = {
  apiKey: { prefix: 'pk', other: 'sk', otherOption: 'apiSecret', variable: 'PAYMENTS_API_KEY' },
  apiSecret: { prefix: 'sk', other: 'pk', otherOption: 'apiKey', variable: 'PAYMENTS_API_SECRET' },
} as const;

/** The options for the gateway's address and its keys. */
export const CREDENTIAL_OPTIONS = {
  auth: word('headers', 'bearer'),
  apiKey: credential('apiKey'),
  apiSecret: unless(credential('apiSecret'), undefined, "required, but for auth: 'bearer'"),
  environment: unless(word('sandbox', 'production'), undefined, "that of the key's prefix"),
  baseUrl: baseUrl(),
};

/** The keys are functions, so that `util.inspect` and JSON show none. */
export interface ResolvedCredentials extends Omit<
  Resolved<typeof CREDENTIAL_OPTIONS>,
  'apiKey' | 'apiSecret'
> {
  readonly apiKey: () => string;
  /** Undefined: the key alone is sent (`auth: 'bearer'`). */
  readonly apiSecret: () => string | undefined;
  readonly environment: PaymentsEnvironment;
}

/** Checks address and keys together, because they must belong to one environment. */
export function resolveCredentials(
  options: Record<string, unknown>,
  error: OptionError,
): ResolvedCredentials {
  const credentials = readOptions(CREDENTIAL_OPTIONS, withoutSwapped(options), '', error, (read) => [
    ...missingSecret(read, options, error),
    ...environmentContradictions(read, error),
    ...insecureAddress(read, error),
  ]);
  const { apiKey, apiSecret } = credentials;
  return {
    ...credentials,
    apiKey: () => apiKey,
    apiSecret: () => apiSecret,
    environment: environmentOf(apiKey),
  };
}

/** A swapped pair is one mistake: the sentence about the key names the secret too. */
function withoutSwapped(options: Record<string, unknown>): Record<string, unknown> {
  const { apiKey, apiSecret } = options;
  const areTexts = typeof apiKey === 'string' && typeof apiSecret === 'string';
  const areSwapped = areTexts && apiKey.startsWith('sk_') && apiSecret.startsWith('pk_');
  return areSwapped ? { ...options, apiSecret: undefined } : options;
}

/** The credentials that are right. */
type ReadCredentials = Partial<Resolved<typeof CREDENTIAL_OPTIONS>>;

function missingSecret(
  { auth }: ReadCredentials,
  { apiSecret }: Record<string, unknown>,
  error: OptionError,
): readonly PaymentsConfigError[] {
  if (apiSecret !== undefined || auth !== 'headers') return [];
  return [error('apiSecret', `is missing: ${expectedOf('apiSecret')}.`)];
}

function environmentContradictions(
  { apiKey, apiSecret, environment: wanted }: ReadCredentials,
  error: OptionError,
): readonly PaymentsConfigError[] {
  if (apiKey === undefined) return [];
  const environment = environmentOf(apiKey);
  const errors: PaymentsConfigError[] = [];
  if (apiSecret !== undefined && environmentOf(apiSecret) !== environment) {
    const problem = 'belongs to the other environment than `apiKey`: take both from the same pair.';
    errors.push(error('apiSecret', problem));
  }
  if (wanted !== undefined && wanted !== environment) {
    const prefix = wanted === 'production' ? 'pk_live_' : 'pk_test_';
    const problem = `is '${wanted}', but \`apiKey\` is a key for '${environment}': use a key that starts with ${prefix}, or leave \`environment\` out.`;
    errors.push(error('environment', problem));
  }
  return errors;
}

function insecureAddress(
  { apiKey, baseUrl: address }: ReadCredentials,
  error: OptionError,
): readonly PaymentsConfigError[] {
  if (apiKey === undefined || address === undefined) return [];
  const { protocol, hostname } = new URL(address);
  const crossesNetwork = protocol === 'http:' && !LOOPBACK.test(hostname);
  if (!crossesNetwork || environmentOf(apiKey) !== 'production') return [];
  const problem = 'is plain http, and a live key would cross the network in the clear: write https://.';
  return [error('baseUrl', problem)];
}

function credential(kind: keyof typeof KINDS): Option<string> {
  const { prefix, other, otherOption } = KINDS[kind];
  const expected = expectedOf(kind);
  return {
    takes: `'${prefix}_test_…' or '${prefix}_live_…'`,
    default: 'required',
    read: (value, path, error) => {
      if (value === undefined || value === null || value === '')
        throw error(path, `is missing: ${expected}.`);
      if (typeof value !== 'string') throw error(path, `must be a string: ${expected}.`);
      if (value.startsWith(`${other}_`)) {
        throw error(path, `starts with ${other}_, so it is swapped with \`${otherOption}\`: ${expected}.`);
      }
      if (!new RegExp(`^${prefix}_(test|live)_[\\x21-\\x7e]+$`).test(value)) {
        throw error(path, `has not the form of one, or holds white space: ${expected}.`);
      }
      return value;
    },
  };
}

function expectedOf(kind: keyof typeof KINDS): string {
  const { prefix, variable } = KINDS[kind];
  return `write the value that starts with ${prefix}_test_ or ${prefix}_live_ (from the environment: ${variable})`;
}

function environmentOf(credentialText: string): PaymentsEnvironment {
  return credentialText.slice(3).startsWith('live_') ? 'production' : 'sandbox';
}

/** The address, without a trailing slash. */
function baseUrl(): Option<string> {
  const example =
    'write for example https://gateway.example/api/v1 (from the environment: PAYMENTS_BASE_URL)';
  return {
    takes: 'address that ends in /api/v1',
    default: 'required',
    read: (value, path, error) => {
      if (value === undefined || value === null || value === '') throw error(path, `is missing: ${example}.`);
      const url = typeof value === 'string' && URL.canParse(value) ? new URL(value) : undefined;
      if (!url || !['http:', 'https:'].includes(url.protocol)) {
        throw error(path, `is not an http or https address: ${example}.`);
      }
      if (url.username || url.password || url.search || url.hash) {
        throw error(path, `must hold no user, password, query or fragment: ${example}.`);
      }
      const pathname = url.pathname.replace(/\/+$/, '');
      if (!pathname.endsWith('/api/v1')) throw error(path, `does not end in /api/v1: ${example}.`);
      return url.origin + pathname;
    },
  };
}
