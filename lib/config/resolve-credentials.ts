import { type PaymentsEnvironment } from '../common/vocabulary.js';
import { type Option, readOptions, type Resolved, unless, word } from './option.js';
import { type OptionError } from './option-checks.js';

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

export interface ResolvedCredentials extends Resolved<typeof CREDENTIAL_OPTIONS> {
  readonly environment: PaymentsEnvironment;
}

/** Checks address and keys together, because they must belong to one environment. */
export function resolveCredentials(
  options: Record<string, unknown>,
  error: OptionError,
): ResolvedCredentials {
  const credentials = readOptions(CREDENTIAL_OPTIONS, options, '', error);
  const { auth, apiKey, apiSecret, environment: wanted, baseUrl: address } = credentials;
  if (apiSecret === undefined && auth === 'headers') {
    throw error('apiSecret', `is missing: ${expectedOf('apiSecret')}.`);
  }
  const environment = environmentOf(apiKey);
  if (apiSecret !== undefined && environmentOf(apiSecret) !== environment) {
    throw error('apiSecret', 'belongs to the other environment than `apiKey`: take both from the same pair.');
  }
  if (wanted !== undefined && wanted !== environment) {
    const prefix = wanted === 'production' ? 'pk_live_' : 'pk_test_';
    throw error(
      'environment',
      `is '${wanted}', but \`apiKey\` is a key for '${environment}': use a key that starts with ${prefix}, or leave \`environment\` out.`,
    );
  }
  const { protocol, hostname } = new URL(address);
  if (environment === 'production' && protocol === 'http:' && !LOOPBACK.test(hostname)) {
    throw error(
      'baseUrl',
      'is plain http, and a live key would cross the network in the clear: write https://.',
    );
  }
  return { ...credentials, environment };
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
