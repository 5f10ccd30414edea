import { describe, expect, it } from 'vitest';
import { resolveOptions } from '../../../lib/config/resolve-options.js';
import { PaymentsConfigError } from '../../../lib/errors/payments-errors.js';

const test = {
  baseUrl: 'https://gateway.example/api/v1',
  apiKey: 'pk_test_canarykey',
  apiSecret: 'sk_test_canarysecret',
};
const live = { ...test, apiKey: 'pk_live_canarykey', apiSecret: 'sk_live_canarysecret' };

const KEY = 'write the value that starts with pk_test_ or pk_live_ (from the environment: PAYMENTS_API_KEY).';
const SECRET =
  'write the value that starts with sk_test_ or sk_live_ (from the environment: PAYMENTS_API_SECRET).';
const ADDRESS = 'write for example https://gateway.example/api/v1 (from the environment: PAYMENTS_BASE_URL).';
const NO_ADDRESS = `is not an http or https address: ${ADDRESS}`;
const MORE_THAN_AN_ADDRESS = `must hold no user, password, query or fragment: ${ADDRESS}`;

describe('a wrong address or key is refused with its name, what is wrong and what to write', () => {
  it.each<[string, object, string, string]>([
    ['no address', { ...test, baseUrl: undefined }, 'baseUrl', `is missing: ${ADDRESS}`],
    ['an address that is null', { ...test, baseUrl: null }, 'baseUrl', `is missing: ${ADDRESS}`],
    ['an address that is an object', { ...test, baseUrl: new URL(test.baseUrl) }, 'baseUrl', NO_ADDRESS],
    ['an address of another protocol', { ...test, baseUrl: 'ftp://x/api/v1' }, 'baseUrl', NO_ADDRESS],
    ['a user alone', { ...test, baseUrl: 'https://u@x/api/v1' }, 'baseUrl', MORE_THAN_AN_ADDRESS],
    ['a password alone', { ...test, baseUrl: 'https://:p@x/api/v1' }, 'baseUrl', MORE_THAN_AN_ADDRESS],
    ['a query', { ...test, baseUrl: 'https://x/api/v1?a=1' }, 'baseUrl', MORE_THAN_AN_ADDRESS],
    ['a fragment', { ...test, baseUrl: 'https://x/api/v1#a' }, 'baseUrl', MORE_THAN_AN_ADDRESS],
    [
      'another path',
      { ...test, baseUrl: 'https://x/api/v1/a' },
      'baseUrl',
      `does not end in /api/v1: ${ADDRESS}`,
    ],
    [
      'a live key over plain http',
      { ...live, baseUrl: 'http://gateway.example/api/v1' },
      'baseUrl',
      'is plain http, and a live key would cross the network in the clear: write https://.',
    ],
    ['no key', { ...test, apiKey: undefined }, 'apiKey', `is missing: ${KEY}`],
    ['a key that is a number', { ...test, apiKey: 5 }, 'apiKey', `must be a string: ${KEY}`],
    [
      'a secret as the key',
      { ...test, apiKey: test.apiSecret },
      'apiKey',
      `starts with sk_, so it is swapped with \`apiSecret\`: ${KEY}`,
    ],
    [
      'a key with white space',
      { ...test, apiKey: 'pk_test_a b' },
      'apiKey',
      `has not the form of one, or holds white space: ${KEY}`,
    ],
    ['no secret', { ...test, apiSecret: undefined }, 'apiSecret', `is missing: ${SECRET}`],
    ['a secret that is empty', { ...test, apiSecret: '' }, 'apiSecret', `is missing: ${SECRET}`],
    [
      'the key as the secret',
      { ...test, apiSecret: test.apiKey },
      'apiSecret',
      `starts with pk_, so it is swapped with \`apiKey\`: ${SECRET}`,
    ],
    [
      'a pair of two environments',
      { ...test, apiSecret: live.apiSecret },
      'apiSecret',
      'belongs to the other environment than `apiKey`: take both from the same pair.',
    ],
    [
      'a test key in production',
      { ...test, environment: 'production' },
      'environment',
      "is 'production', but `apiKey` is a key for 'sandbox': use a key that starts with pk_live_, or leave `environment` out.",
    ],
    [
      'a live key in the sandbox environment',
      { ...live, environment: 'sandbox' },
      'environment',
      "is 'sandbox', but `apiKey` is a key for 'production': use a key that starts with pk_test_, or leave `environment` out.",
    ],
    [
      'an unknown way to authenticate',
      { ...test, auth: 'basic' },
      'auth',
      "is not known: write 'headers' or 'bearer'.",
    ],
  ])('%s', (_, options, option, problem) => {
    expect(() => resolveOptions(options)).toThrow(
      new PaymentsConfigError(`Payments option \`${option}\` ${problem}`),
    );
  });
});

describe('an address is taken', () => {
  it.each([
    [
      'without its slashes at the end',
      'https://gateway.example/tz/api/v1//',
      'https://gateway.example/tz/api/v1',
    ],
    ['with its port', 'https://gateway.example:8443/api/v1', 'https://gateway.example:8443/api/v1'],
    ['over plain http with a test key', 'http://gateway.example/api/v1', 'http://gateway.example/api/v1'],
  ])('%s', (_, written, baseUrl) => {
    expect(resolveOptions({ ...test, baseUrl: written })).toMatchObject({ baseUrl, environment: 'sandbox' });
  });
});
