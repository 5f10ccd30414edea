import { type ResolvedPaymentsOptions } from '../config/resolved-options.js';

/** The headers that every request of an account has. One object for one pair of keys. */
export interface KeyHeaders {
  readonly plain: Readonly<Record<string, string>>;
  readonly withBody: Readonly<Record<string, string>>;
}

/** The keys of an account, which may change while calls run. */
export interface AccountKeys {
  /** The keys in use. A call reads them when it begins. */
  readonly current: KeyHeaders;
  /**
   * Asks for the keys again, after a 401. Resolves to undefined if there are no others, not in time, or not before the
   * signal fires. Never rejects.
   *
   * @param refused The keys that the gateway refused.
   * @param deadline By `performance.now()`.
   */
  renewed?(
    refused: KeyHeaders,
    deadline: number,
    signal: AbortSignal | undefined,
  ): Promise<KeyHeaders | undefined>;
}

/** Keys that never change. Hold them in a closure only: out of reach of `util.inspect` and JSON. */
export function constantKeys(options: Credentials): AccountKeys {
  return { current: keyHeaders(options) };
}

const JSON_TYPE = 'application/json';
/** No compression: a small answer gains nothing, and only some adapters would unpack it. */
const PLAIN = 'identity';
/** Some firewalls refuse a request that has none. */
const AGENT = 'nestjs-payments';

type Credentials = Pick<ResolvedPaymentsOptions, 'auth' | 'apiKey' | 'apiSecret'>;

/** The credentials in one of their two forms (specification, "Authentication" 2 and 5). */
export function keyHeaders({ auth, apiKey, apiSecret }: Credentials): KeyHeaders {
  // Written out: after a spread, each account would have hidden classes of its own, of a kilobyte.
  if (auth === 'bearer') {
    const credentials = `Bearer ${apiKey()}`;
    return {
      plain: {
        Authorization: credentials,
        Accept: JSON_TYPE,
        'Accept-Encoding': PLAIN,
        'User-Agent': AGENT,
      },
      withBody: {
        Authorization: credentials,
        Accept: JSON_TYPE,
        'Accept-Encoding': PLAIN,
        'User-Agent': AGENT,
        'Content-Type': JSON_TYPE,
      },
    };
  }
  const secret = apiSecret() ?? '';
  return {
    plain: {
      'X-API-KEY': apiKey(),
      'X-API-SECRET': secret,
      Accept: JSON_TYPE,
      'Accept-Encoding': PLAIN,
      'User-Agent': AGENT,
    },
    withBody: {
      'X-API-KEY': apiKey(),
      'X-API-SECRET': secret,
      Accept: JSON_TYPE,
      'Accept-Encoding': PLAIN,
      'User-Agent': AGENT,
      'Content-Type': JSON_TYPE,
    },
  };
}
