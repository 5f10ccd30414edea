import { unauthorized, type Refusal } from './refusal.js';

/** The credentials of a request. */
export interface Credentials {
  readonly apiKey: string | undefined;
  readonly apiSecret: string | undefined;
  /** The whole `Authorization` header. */
  readonly authorization: string | undefined;
}

const TEST_KEY = /^pk_test_([\w-]{1,64})$/;
const LIVE = /^(?:Bearer )?[ps]k_live_/;
const BEARER = /^Bearer (\S+)$/i;

const PAIR_HINT = 'This emulator takes pk_test_<name> together with sk_test_<the same name>.';

/** Whether this name fits the `x` of `pk_test_x`. */
export function isMerchantName(name: string): boolean {
  return TEST_KEY.test(`pk_test_${name}`);
}

/** Finds the merchant's name, the `x` of `pk_test_x` and `sk_test_x`, or refuses the request. */
export function authenticate(credentials: Credentials): string | Refusal {
  const { apiKey, apiSecret, authorization } = credentials;
  if ([apiKey, apiSecret, authorization].some((value) => value !== undefined && LIVE.test(value))) {
    return unauthorized(`Invalid API credentials. Live keys are for production only. ${PAIR_HINT}`);
  }
  if (apiKey === undefined && apiSecret === undefined) return fromBearer(authorization);
  const name = TEST_KEY.exec(apiKey ?? '')?.[1];
  if (name !== undefined && apiSecret === `sk_test_${name}`) return name;
  return unauthorized(`Invalid API credentials. ${PAIR_HINT}`);
}

/** The specification's second form carries the key alone ("Authentication" 5). */
function fromBearer(authorization: string | undefined): string | Refusal {
  if (authorization === undefined) {
    return unauthorized(
      'Unauthenticated. Send X-API-KEY and X-API-SECRET, or Authorization: Bearer <API_KEY>.',
    );
  }
  const name = TEST_KEY.exec(BEARER.exec(authorization)?.[1] ?? '')?.[1];
  return name ?? unauthorized('Invalid API credentials. Write Authorization: Bearer pk_test_<name>.');
}
