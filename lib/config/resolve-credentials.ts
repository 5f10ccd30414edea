import { type PaymentsEnvironment } from '../common/vocabulary.js';
import { isRecord, oneOf, type OptionError } from './option-checks.js';

const LOOPBACK = /^(localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;
const KINDS = {
  apiKey: { prefix: 'pk', other: 'sk', otherOption: 'apiSecret', variable: 'PAYMENTS_API_KEY' },
  apiSecret: { prefix: 'sk', other: 'pk', otherOption: 'apiKey', variable: 'PAYMENTS_API_SECRET' },
} as const;

export interface ResolvedCredentials {
  readonly environment: PaymentsEnvironment;
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly apiSecret: string | undefined;
  readonly auth: 'headers' | 'bearer';
}

/** Checks address and keys together, because each says which environment the others must belong to. */
export function resolveCredentials(
  options: Record<string, unknown>,
  error: OptionError,
): ResolvedCredentials {
  const auth = oneOf(error, 'auth', options['auth'], ['headers', 'bearer']);
  const apiKey = credential('apiKey', options['apiKey'], error);
  const apiSecret =
    auth === 'bearer' && options['apiSecret'] === undefined
      ? undefined
      : credential('apiSecret', options['apiSecret'], error);

  const environment = environmentOf(apiKey);
  if (apiSecret !== undefined && environmentOf(apiSecret) !== environment) {
    throw error('apiSecret', 'belongs to the other environment than `apiKey`: take both from the same pair.');
  }
  if (options['environment'] !== undefined) {
    const wanted = oneOf(error, 'environment', options['environment'], ['sandbox', 'production']);
    if (wanted !== environment) {
      const prefix = wanted === 'production' ? 'pk_live_' : 'pk_test_';
      throw error(
        'environment',
        `is '${wanted}', but \`apiKey\` is a key for '${environment}': use a key that starts with ${prefix}, or leave \`environment\` out.`,
      );
    }
  }
  return { environment, baseUrl: baseUrl(options['baseUrl'], environment, error), apiKey, apiSecret, auth };
}

function credential(option: keyof typeof KINDS, value: unknown, error: OptionError): string {
  const { prefix, other, otherOption, variable } = KINDS[option];
  const expected = `write the value that starts with ${prefix}_test_ or ${prefix}_live_ (from the environment: ${variable})`;
  if (value === undefined || value === null || value === '') throw error(option, `is missing: ${expected}.`);
  if (typeof value !== 'string') throw error(option, `must be a string: ${expected}.`);
  if (value.startsWith(`${other}_`)) {
    throw error(option, `starts with ${other}_, so it is swapped with \`${otherOption}\`: ${expected}.`);
  }
  if (!new RegExp(`^${prefix}_(test|live)_[\\x21-\\x7e]+$`).test(value)) {
    throw error(option, `has not the form of one, or holds white space: ${expected}.`);
  }
  return value;
}

function environmentOf(credentialText: string): PaymentsEnvironment {
  return credentialText.slice(3).startsWith('live_') ? 'production' : 'sandbox';
}

function baseUrl(value: unknown, environment: PaymentsEnvironment, error: OptionError): string {
  const example =
    'write for example https://gateway.example/api/v1 (from the environment: PAYMENTS_BASE_URL)';
  if (value === undefined || value === null || value === '')
    throw error('baseUrl', `is missing: ${example}.`);
  const url = typeof value === 'string' && URL.canParse(value) ? new URL(value) : undefined;
  if (!url || !['http:', 'https:'].includes(url.protocol)) {
    throw error('baseUrl', `is not an http or https address: ${example}.`);
  }
  if (url.username || url.password || url.search || url.hash) {
    throw error('baseUrl', `must hold no user, password, query or fragment: ${example}.`);
  }
  const path = url.pathname.replace(/\/+$/, '');
  if (!path.endsWith('/api/v1')) throw error('baseUrl', `does not end in /api/v1: ${example}.`);
  if (environment === 'production' && url.protocol === 'http:' && !LOOPBACK.test(url.hostname)) {
    throw error(
      'baseUrl',
      'is plain http, and a live key would cross the network in the clear: write https://.',
    );
  }
  return url.origin + path;
}

/** The options as a record, whatever the application handed in. */
export function optionsRecord(options: unknown, error: OptionError): Record<string, unknown> {
  if (isRecord(options)) return options;
  throw error('(all)', 'must be an object: return { baseUrl, apiKey, apiSecret, … } from the factory.');
}
