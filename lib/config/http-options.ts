import { type HttpModuleOptions } from '@nestjs/axios';
import { definedFields, isRecord, withInherited } from '../common/json-object.js';
import { type PaymentsConfigError } from '../errors/payments-errors.js';
import { throwJoined } from '../errors/wrong-options.js';
import { type Option } from './option.js';
import { type OptionError, unknownOptions } from '../errors/option-errors.js';

/**
 * Options that only axios' own adapter obeys. With all but `adapter` and `transport` it sends through a watched
 * transport, which knows whether the request left.
 */
export const AXIOS_ADAPTER_OPTIONS = [
  'adapter',
  'httpAgent',
  'httpsAgent',
  'proxy',
  'transport',
  'socketPath',
  'lookup',
  'family',
  'auth',
  'decompress',
  'insecureHTTPParser',
  'maxContentLength',
  'maxRate',
] as const satisfies readonly (keyof HttpModuleOptions)[];

/** What `HttpModule`, the package's connections or an adapter of the application obey. */
const OBEYED: readonly string[] = [
  'headers',
  ...AXIOS_ADAPTER_OPTIONS,
  'allowedSocketPaths',
  'global',
  'extraProviders',
];

/** Only axios' adapter `fetch` obeys these. */
const FETCH_OPTIONS: readonly string[] = ['env', 'fetchOptions'];

/**
 * The package sets these itself. Options that an application shares among its modules may have them: nobody expects the
 * gateway to get anything else by them.
 */
const SET_BY_THE_PACKAGE: readonly string[] = [
  'maxRedirects',
  'responseType',
  'transformRequest',
  'transformResponse',
  'validateStatus',
];

const TIME = 'is not obeyed: write `timeoutMs`, and `deadlineMs` for the whole call, beside `http`.';
const ADDRESS = 'is not obeyed: write `baseUrl` beside `http`.';
const QUERY =
  'is not obeyed, because the query of a payment never changes: send what the gateway must know in `http.headers`.';
const CONTENT = 'is not obeyed, because each call sends what it was asked for: take it out.';
const VERSION = 'is not obeyed, because the package speaks HTTP/1.1: take it out.';

/** Options of axios that would change what a call is, or that have another name here. */
const INSTEAD: Readonly<Record<string, string>> = {
  timeout: TIME,
  timeoutErrorMessage: TIME,
  baseURL: ADDRESS,
  baseUrl: ADDRESS,
  url: ADDRESS,
  params: QUERY,
  paramsSerializer: QUERY,
  method: CONTENT,
  data: CONTENT,
  signal: "is not obeyed: give a call its own in the call's options.",
  maxBodyLength: 'is not obeyed, because every request of the package is short: take it out.',
  httpVersion: VERSION,
  http2Options: VERSION,
};

/** What may be a getter of a class, too. */
const KNOWN = [...OBEYED, ...FETCH_OPTIONS, ...Object.keys(INSTEAD)];

/** The option `http`: a name that nothing obeys is refused, or the request would leave without it and nobody notice. */
export function httpOption(): Option<HttpModuleOptions> {
  return {
    takes: 'options of HttpModule',
    default: '{}',
    read: (written, path, error) => {
      const given = written ?? {};
      if (!isRecord(given)) throw error(path, 'must be an object: see its fields in PaymentsModuleOptions.');
      // Undefined asks for nothing, and must not take the place of the package's own options.
      const value = definedFields(withInherited(given, KNOWN));
      throwJoined(notObeyed(value, path, error));
      return value;
    },
  };
}

function notObeyed(
  written: Readonly<Record<string, unknown>>,
  path: string,
  error: OptionError,
): readonly PaymentsConfigError[] {
  const names = Object.keys(written);
  const known = names.flatMap((name) => {
    const instead = Object.hasOwn(INSTEAD, name) ? INSTEAD[name] : undefined;
    return instead === undefined ? [] : [error(`${path}.${name}`, instead)];
  });
  // It may read names of its own.
  if (typeof written['adapter'] === 'function') return known;
  const isFetch = [written['adapter']].flat().includes('fetch');
  const obeyed = isFetch ? [...OBEYED, ...FETCH_OPTIONS] : OBEYED;
  const others = names.filter((name) => !Object.hasOwn(INSTEAD, name) && !SET_BY_THE_PACKAGE.includes(name));
  return [...known, ...unknownOptions(others, obeyed, path, error)];
}

/** Both would be the header `Authorization`, and the keys of the account would not arrive. */
export function twoAuthorizations(
  { auth, http }: Readonly<Record<string, unknown>>,
  error: OptionError,
): readonly PaymentsConfigError[] {
  const isTwice = auth === 'bearer' && isRecord(http) && (http['auth'] ?? undefined) !== undefined;
  return isTwice
    ? [error('http.auth', "and auth: 'bearer' are one header, Authorization: take one of them out.")]
    : [];
}
