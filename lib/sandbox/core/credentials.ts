import { type ResolvedFacts } from '../../gateway-profile/resolved-facts.js';
import { unauthorized, type Refusal } from './refusal.js';

/** The credentials of a request. */
export interface Credentials {
  readonly apiKey: string | undefined;
  readonly apiSecret: string | undefined;
  /** The whole `Authorization` header. */
  readonly authorization: string | undefined;
}

/** A merchant's later pairs have a number. */
const TEST_KEY = /^pk_test_([\w-]{1,64})(?:\.([1-9]\d{0,5}))?$/;
const LIVE = /^(?:Bearer +)?[ps]k_live_/;
const BEARER = /^Bearer +(\S+)$/i;

const NAME_HINT = 'A name has 1 to 64 letters, digits, hyphens and underscores.';
const PAIR_HINT = `This emulator takes pk_test_<name> together with sk_test_<the same name>. ${NAME_HINT}`;

/** The token of an `Authorization` header; undefined if it has another form. The name of the scheme may have any case (RFC 9110). */
export function bearerToken(authorization: string | undefined): string | undefined {
  return BEARER.exec(authorization ?? '')?.[1];
}

/** Whether this name fits the `x` of `pk_test_x`. */
export function isMerchantName(name: string): boolean {
  return /^[\w-]{1,64}$/.test(name);
}

/** Whether a merchant's keys work: the pair with this number; 0 is the pair without a number. */
type TakesPair = (merchant: string, number: number) => boolean;

/**
 * The keys of a merchant of the emulator, as the module's options take them.
 *
 * @publicApi
 */
export interface SandboxKeyPair {
  /** `pk_test_` and the merchant's name; a later pair has `.` and its number behind it. */
  readonly apiKey: string;
  /** The same with `sk_test_`. */
  readonly apiSecret: string;
}

/** A pair of a merchant. */
export function pairOf(merchant: string, number: number): SandboxKeyPair {
  const suffix = number === 0 ? '' : `.${number}`;
  return { apiKey: `pk_test_${merchant}${suffix}`, apiSecret: `sk_test_${merchant}${suffix}` };
}

/** Finds the merchant's name, the `x` of `pk_test_x` and `sk_test_x`, or refuses the request. */
export function authenticate(
  credentials: Credentials,
  takesPair: TakesPair,
  { bearer }: Pick<ResolvedFacts, 'bearer'>,
): string | Refusal {
  const { apiKey, apiSecret, authorization } = credentials;
  if ([apiKey, apiSecret, authorization].some((value) => value !== undefined && LIVE.test(value))) {
    return unauthorized(`Invalid API credentials. Live keys are for production only. ${PAIR_HINT}`);
  }
  if (apiKey === undefined && apiSecret === undefined) {
    return bearer === 'accepted'
      ? fromBearer(authorization, takesPair)
      : unauthorized('Unauthenticated. Send X-API-KEY and X-API-SECRET.');
  }
  const name = merchantOf(apiKey, takesPair);
  if (name !== undefined && apiSecret === apiKey?.replace('pk_', 'sk_')) return name;
  return unauthorized(`Invalid API credentials. ${PAIR_HINT}`);
}

/** The specification's second form carries the key alone ("Authentication" 5). */
function fromBearer(authorization: string | undefined, takesPair: TakesPair): string | Refusal {
  if (authorization === undefined) {
    return unauthorized(
      'Unauthenticated. Send X-API-KEY and X-API-SECRET, or Authorization: Bearer <API_KEY>.',
    );
  }
  const name = merchantOf(bearerToken(authorization), takesPair);
  return (
    name ?? unauthorized(`Invalid API credentials. Write Authorization: Bearer pk_test_<name>. ${NAME_HINT}`)
  );
}

/** Undefined if the key has not the form of one, or was revoked. */
function merchantOf(apiKey: string | undefined, takesPair: TakesPair): string | undefined {
  const [, name, number = '0'] = TEST_KEY.exec(apiKey ?? '') ?? [];
  return name !== undefined && takesPair(name, Number(number)) ? name : undefined;
}
