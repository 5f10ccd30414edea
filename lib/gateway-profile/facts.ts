/** The value of a fact: a word of its list, an HTTP status, or a whole number. */
export type FactValue = string | number;

/** What a fact may be. The first of `values` is what the emulator does without a profile. */
export interface FactKind<Value extends FactValue = FactValue> {
  /** What it is about, as a clause: "what a repeated key gives". */
  readonly says: string;
  /** The words that it may be; for numbers, those that a random profile takes. */
  readonly values: readonly [Value, ...Value[]];
  /** Other numbers may be met, each from the one to the other; undefined: nothing but `values`. */
  readonly ranges?: readonly (readonly [least: number, most: number])[];
}

/**
 * Codes of refusals with the emulator's HTTP status. The specification shows no status. A tool can provoke all of them but
 * PROVIDER_ERROR, after which money may have moved.
 */
const REFUSALS = {
  INVALID_REQUEST: 400,
  DUPLICATE_REQUEST: 409,
  DUPLICATE_REFERENCE: 409,
  INVALID_BANK_CODE: 422,
  ACCOUNT_NOT_FOUND: 404,
  INVALID_CHANNEL: 422,
  INVALID_BANK: 422,
  INVALID_ACCOUNT: 422,
  ACCOUNT_NAME_MISMATCH: 422,
  INVALID_NETWORK: 422,
  INVALID_PHONE: 422,
  INSUFFICIENT_BALANCE: 422,
  PROVIDER_ERROR: 502,
} as const;

export type RefusalFact = keyof typeof REFUSALS;

export const REFUSAL_FACTS = Object.keys(REFUSALS) as readonly RefusalFact[];

/** Operations whose HTTP status of a success the specification does not show. */
export const OPERATION_FACTS = [
  'POST /payments/partnerpesa',
  'GET /merchant-balance',
  'GET /bank-shortnames',
  'POST /disbursements/name-lookup',
  'POST /disbursements/bank',
  'POST /disbursements/mobile-money',
] as const;

export type OperationFact = (typeof OPERATION_FACTS)[number];

/** 204 and its like have no body. */
const WITH_BODY = [200, 203] as const;
const REFUSAL_RANGES: readonly (readonly [number, number])[] = [WITH_BODY, [400, 599]];
const REFUSAL_STATUSES = [200, 400, 402, 404, 409, 412, 422, 500] as const;

const statuses = Object.fromEntries(
  REFUSAL_FACTS.map((code) => [
    `status of ${code}`,
    status(`the HTTP status of ${code}`, [REFUSALS[code], ...REFUSAL_STATUSES]),
  ]),
) as Readonly<Record<`status of ${RefusalFact}`, FactKind<number>>>;

const shapes = Object.fromEntries(
  REFUSAL_FACTS.map((code) => [
    `shape of ${code}`,
    words(`the error shape of ${code}`, code === 'INVALID_REQUEST' ? ['A', 'B'] : ['B', 'A']),
  ]),
) as Readonly<Record<`shape of ${RefusalFact}`, FactKind<'A' | 'B'>>>;

const successes = Object.fromEntries(
  OPERATION_FACTS.map((operation) => [
    `success of ${operation}`,
    status(`the HTTP status of a success of ${operation}`, [200, 201, 202], [WITH_BODY]),
  ]),
) as Readonly<Record<`success of ${OperationFact}`, FactKind<number>>>;

/** The longest metadata that a gateway is asked about, in bytes of its JSON. */
export const LONGEST_METADATA = 16_384;

/** Every point that the specification leaves open, that a gateway can be asked about, and that the emulator can be told. */
export const FACTS = {
  'repeated key': words('what the same request with the same key gives', [
    'DUPLICATE_REQUEST',
    'DUPLICATE_REFERENCE',
    'first answer',
  ]),
  'repeated key, other body': words('what another request with a used key gives', [
    'DUPLICATE_REQUEST',
    'INVALID_REQUEST',
    'first answer',
    'accepted',
  ]),
  'key of a refusal': words('whether a refused request uses up its key', ['free', 'used']),
  'key after an hour': words('whether a key is remembered for an hour', ['remembered', 'forgotten']),
  'repeated reference': words('what a second collection with a used reference gives', [
    'DUPLICATE_REFERENCE',
    'errors.reference',
    'accepted',
  ]),
  // A payout that is taken twice is told, and not played: a test must not learn to live with it.
  'repeated reference of a payout': words('what a second payout with a used reference gives', [
    'DUPLICATE_REFERENCE',
  ]),
  'reference of the other family': words('whether a payout may take the reference of a collection', [
    'free',
    'used',
  ]),
  bearer: words('whether Authorization: Bearer is taken', ['accepted', 'refused']),
  'amount as text': words('whether an amount may be a JSON string', ['accepted', 'refused']),
  'three decimals': words('what an amount with three decimals gives', ['refused', 'rounded', 'cut']),
  'smallest amount': whole('the smallest amount of a collection in cents', [1, 100, 10_000, 50_000, 100_000]),
  'longest reference': whole('the longest reference in characters', [255, 36, 50, 64, 100, 128], 255),
  'longest metadata': whole(
    `the longest metadata in bytes of JSON, where ${LONGEST_METADATA} stands for that and more`,
    [LONGEST_METADATA, 64, 500, 1_024, 4_096, 10_000],
    LONGEST_METADATA,
  ),
  'case of bank codes': words('whether the case of a bank code counts', ['exact', 'any']),
  'long bank codes': words('whether the longer spelling of a bank code is taken', ['accepted', 'refused']),
  'lookup of MOBILE_MONEY': words('whether names of mobile wallets are found', ['answered', 'refused']),
  'lookup of BANK': words('whether names of bank accounts are found', ['answered', 'refused']),
  'lookup of PARTNERPESA': words('whether names of partner wallets are found', ['answered', 'refused']),
  'rate limit headers': words('which headers tell the rate limit', ['none', 'ratelimit', 'x-ratelimit']),
  'wrong fields of a collection': words('what wrong fields of a collection give', [
    'errors',
    'INVALID_REQUEST',
  ]),
  'status of wrong fields': status('the HTTP status of messages by field', [422, 400, 200]),
  'webhook answers': words('which answers to a webhook count as received', ['200', '2xx']),
  'first redelivery': {
    says: 'the wait before a webhook is delivered again, in seconds',
    values: [5, 1, 10, 30, 60, 300],
    ranges: [[1, 86_400]],
  } satisfies FactKind<number> as FactKind<number>,
  'repeated webhook': words('whether a webhook that comes again is signed again', [
    'signed again',
    'as before',
  ]),
  ...successes,
  ...statuses,
  ...shapes,
} as const;

/**
 * The name of a fact: `repeated key`, or `status of INVALID_BANK`.
 *
 * @useDeclaredType
 * @publicApi
 */
export type FactName = keyof typeof FACTS;

/**
 * What a gateway does, by the name of the fact. A fact that is not there is not known.
 *
 * @useDeclaredType
 * @publicApi
 */
export type GatewayFacts = {
  readonly [Name in FactName]?: (typeof FACTS)[Name] extends FactKind<infer Value> ? Value : never;
};

export const FACT_NAMES = Object.keys(FACTS) as readonly FactName[];

function words<const Word extends string>(says: string, values: readonly [Word, ...Word[]]): FactKind<Word> {
  return { says, values };
}

function status(
  says: string,
  values: readonly [number, ...number[]],
  ranges = REFUSAL_RANGES,
): FactKind<number> {
  return { says, values, ranges };
}

function whole(
  says: string,
  values: readonly [number, ...number[]],
  most = Number.MAX_SAFE_INTEGER,
): FactKind<number> {
  return { says, values, ranges: [[1, most]] };
}
