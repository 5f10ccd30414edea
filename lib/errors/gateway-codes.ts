/**
 * The meaning of a gateway code for a payment (specification, "Errors"; the package draws the conclusions).
 *
 * - `refused`: no money moved and none will.
 * - `unauthorized`: the gateway refused the credentials.
 * - `duplicate-request`, `duplicate-reference`: the gateway has an earlier request, and does not report its
 *   outcome.
 * - `provider-error`: the provider failed at an unknown moment.
 */
export type GatewayCodeEffect =
  'refused' | 'unauthorized' | 'duplicate-request' | 'duplicate-reference' | 'provider-error';

/**
 * One row of the specification's code table.
 */
interface GatewayCodeInfo {
  readonly effect: GatewayCodeEffect;
  /** The specification's meaning. */
  readonly meaning: string;
  /** What to do about it, in one sentence. */
  readonly hint: string;
}

/** The form of a code or a name that a message may show. A longer text, or one with blanks, may hold anything. */
export const TOKEN = /^[\w.:-]{1,64}$/;

/**
 * Every error code that the specification lists ("Errors").
 */
export const GATEWAY_CODES = {
  UNAUTHORIZED: {
    effect: 'unauthorized',
    meaning: 'invalid or missing credentials',
    hint: 'Check apiKey and apiSecret: both from the same page of the portal, test keys for the sandbox, live keys for production.',
  },
  INSUFFICIENT_PERMISSIONS: {
    effect: 'unauthorized',
    meaning: 'access denied',
    hint: 'Ask the gateway to allow this operation for your keys.',
  },
  INVALID_REQUEST: {
    effect: 'refused',
    meaning: 'the request payload is invalid',
    hint: 'Compare the request with the field rules; `errors` names the fields if the gateway did.',
  },
  DUPLICATE_REQUEST: {
    effect: 'duplicate-request',
    meaning: 'the Idempotency-Key was already processed',
    hint: 'The first request with this key was most likely accepted: wait for its outcome, never use a new key for it.',
  },
  INVALID_BANK_CODE: {
    effect: 'refused',
    meaning: 'the bank code is not supported',
    hint: 'Take the code from BanksService.list().',
  },
  ACCOUNT_NOT_FOUND: {
    effect: 'refused',
    meaning: 'the recipient account could not be verified',
    hint: 'Ask the recipient for the account number again.',
  },
  INVALID_CHANNEL: {
    effect: 'refused',
    meaning: 'the channel is not supported',
    hint: 'Use MOBILE_MONEY, BANK or PARTNERPESA.',
  },
  INVALID_BANK: {
    effect: 'refused',
    meaning: 'the bank is not supported',
    hint: 'Take the code from BanksService.list().',
  },
  INVALID_ACCOUNT: {
    effect: 'refused',
    meaning: 'the account number is invalid',
    hint: 'Ask the recipient for the account number again and verify it with NameLookupService.lookup().',
  },
  ACCOUNT_NAME_MISMATCH: {
    effect: 'refused',
    meaning: 'the account verification failed',
    hint: 'Send the account_name that NameLookupService.lookup() returns.',
  },
  INVALID_NETWORK: {
    effect: 'refused',
    meaning: 'the mobile money network is not supported',
    hint: 'Use one of the network names that the gateway gave you, and list them in the `networks` option.',
  },
  INVALID_PHONE: {
    effect: 'refused',
    meaning: 'the phone number is invalid',
    hint: 'Ask for the number again and write it as 255 and nine digits.',
  },
  INSUFFICIENT_BALANCE: {
    effect: 'refused',
    meaning: 'the wallet balance is insufficient',
    hint: 'Top up the wallet; WalletService.balance() shows what is available.',
  },
  DUPLICATE_REFERENCE: {
    effect: 'duplicate-reference',
    meaning: 'the reference already exists',
    hint: 'Look that reference up before using another one: its payment may have been made.',
  },
  PROVIDER_ERROR: {
    effect: 'provider-error',
    meaning: 'the provider returned an error',
    hint: 'The provider failed at an unknown moment: wait for the outcome before paying again.',
  },
} as const satisfies Readonly<Record<string, GatewayCodeInfo>>;

/**
 * An error code of the specification.
 *
 * @useDeclaredType
 * @publicApi
 */
export type GatewayCode = keyof typeof GATEWAY_CODES;

/** What the specification says about a code; undefined for a code that it does not list. */
export function gatewayCodeInfo(code: string | undefined): GatewayCodeInfo | undefined {
  if (code === undefined || !Object.hasOwn(GATEWAY_CODES, code)) return undefined;
  return GATEWAY_CODES[code as GatewayCode];
}
