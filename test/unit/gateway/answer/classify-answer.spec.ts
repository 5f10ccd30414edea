import { describe, expect, it } from 'vitest';
import { type TryEvent, classifyAnswer } from '../../../../lib/gateway/answer/classify-answer.js';
import { type GatewayErrorBody, type ParsedAnswer } from '../../../../lib/gateway/answer/parse-answer.js';
import { type CallKind } from '../../../../lib/gateway/gateway-call.js';

/** Codes that the merchant wrote into `refusalCodes`: one of its own, one that refuses anyway, one that does not. */
const REFUSAL_CODES: ReadonlySet<string> = new Set(['LIMIT_REACHED', 'INVALID_BANK', 'UNAUTHORIZED']);

function success(code: string, data: unknown): ParsedAnswer {
  return { shape: 'success', text: '{}', envelope: { code, message: 'Yes', data } };
}

function error(body: Partial<GatewayErrorBody>): ParsedAnswer {
  return { shape: 'error', error: { message: 'No', errors: {}, mayHoldRecord: false, ...body } };
}

/** An error answer without a code, with a message about each of these fields. */
function complaint(fields: readonly string[], body: Partial<GatewayErrorBody> = {}): ParsedAnswer {
  return error({ errors: Object.fromEntries(fields.map((field) => [field, ['is wrong']])), ...body });
}

/** Both ends of each class of statuses, and every one with a meaning of its own. */
const STATUSES: readonly number[] = [
  ...[100, 199, 200, 299, 300, 399],
  ...[400, 401, 402, 403, 404, 405, 406, 407, 408, 409, 410, 411, 412, 413, 414, 415, 416],
  ...[421, 422, 423, 424, 425, 426, 428, 429, 430, 498, 499],
  ...[500, 599],
];

/** The statuses of each event, as ranges. */
type Column = { readonly [Event in TryEvent]?: string };

/** What an answer is under every status. */
function column(kind: CallKind, answer: ParsedAnswer): Column {
  const ranges: Record<string, [first: number, last: number][]> = {};
  STATUSES.forEach((status, at) => {
    const ofEvent = (ranges[classifyAnswer(kind, status, answer, REFUSAL_CODES)] ??= []);
    const range = ofEvent.at(-1);
    if (range !== undefined && range[1] === STATUSES[at - 1]) range[1] = status;
    else ofEvent.push([status, status]);
  });
  return Object.fromEntries(
    Object.entries(ranges).map(([event, list]) => [
      event,
      list.map(([first, last]) => (first === last ? `${first}` : `${first}-${last}`)).join(' '),
    ]),
  );
}

/** A read takes the code at its word under any status. */
const READ_REFUSED: Column = { refused: '100-299 400-599', redirect: '300-399' };
const READ_UNLISTED: Column = {
  redirect: '300-399',
  unauthorized: '401 403',
  'rate-limited': '429',
  'unlisted-code': '100-299 400 402 404-428 430-599',
};
const READ_WITHOUT_CODE: Column = {
  'bad-answer': '100-299',
  redirect: '300-399',
  'refused-without-code': '400 402 404-407 410-428 430-499',
  unauthorized: '401 403',
  'rate-limited': '429',
  'server-error': '408-409 500-599',
};
const READ_UNREADABLE: Column = {
  redirect: '300-399',
  unauthorized: '401 403',
  'rate-limited': '429',
  'server-error': '408-409 500-599',
  'bad-answer': '100-299 400 402 404-407 410-428 430-499',
};

/** Refused under every 4xx that does not speak for itself. */
const REFUSED: Column = {
  redirect: '300-399',
  refused: '400 402 404-407 409-424 426-428 430-498',
  unauthorized: '401 403',
  'rate-limited': '429',
  'server-error': '408',
  'unproven-refusal': '100-299 425 499-599',
};
/** The same, but a conflict may be one with this payment. */
const REFUSED_WITHOUT_CONFLICT: Column = {
  redirect: '300-399',
  refused: '400 402 404-407 410-424 426-428 430-498',
  unauthorized: '401 403',
  'rate-limited': '429',
  'server-error': '408-409',
  'unproven-refusal': '100-299 425 499-599',
};
/** The same as REFUSED, and in a 2xx, too: the merchant vouches for the code. */
const VOUCHED: Column = {
  redirect: '300-399',
  refused: '200-299 400 402 404-407 409-424 426-428 430-498',
  unauthorized: '401 403',
  'rate-limited': '429',
  'server-error': '408',
  'unproven-refusal': '100-199 425 499-599',
};
/** Looks like a refusal, and something in it leaves open whether it is one. */
const UNPROVEN: Column = {
  redirect: '300-399',
  unauthorized: '401 403',
  'rate-limited': '429',
  'server-error': '408-409',
  'unproven-refusal': '100-299 400 402 404-407 410-428 430-599',
};
const UNAUTHORIZED: Column = {
  redirect: '300-399',
  unauthorized: '400-407 409-424 426-428 430-498',
  'rate-limited': '429',
  'server-error': '408',
  'unproven-refusal': '100-299 425 499-599',
};
const UNLISTED: Column = READ_UNLISTED;
const WITHOUT_CODE: Column = {
  'bad-answer': '100-299',
  redirect: '300-399',
  'refused-without-code': '400 404-405 411 413 415 422',
  unauthorized: '401 403',
  'rate-limited': '429',
  'server-error': '408-409 500-599',
  'unproven-refusal': '402 406-407 410 412 414 416-421 423-428 430-499',
};
const MAY_BE_EARLIER: Column = {
  'bad-answer': '100-299',
  redirect: '300-399',
  unauthorized: '401 403',
  'rate-limited': '429',
  'server-error': '408-409 500-599',
  'unproven-refusal': '400 402 404-407 410-428 430-499',
};
/** Messages by field that do not refuse: as without a code, but never a reason to try a failed server again. */
const COMPLAINED: Column = {
  redirect: '300-399',
  'refused-without-code': '400 404-405 411 413 415 422',
  unauthorized: '401 403',
  'rate-limited': '429',
  'server-error': '408-409',
  'unproven-refusal': '100-299 402 406-407 410 412 414 416-421 423-428 430-599',
};
const SUCCESS: Column = {
  success: '100-299',
  redirect: '300-399',
  'bad-answer': '400-499',
  'server-error': '500-599',
};
const USELESS: Column = { redirect: '300-399', 'bad-answer': '100-299 400-499', 'server-error': '500-599' };

/** Under every status but a redirect. */
const whatever = (event: TryEvent): Column => ({ redirect: '300-399', [event]: '100-299 400-599' });

type Row = readonly [
  what: string,
  answer: ParsedAnswer,
  read: Column,
  collection: Column,
  disbursement: Column,
];

const payments = (what: string, answer: ParsedAnswer, read: Column, both: Column): Row => [
  what,
  answer,
  read,
  both,
  both,
];
const all = (what: string, answer: ParsedAnswer, column: Column): Row =>
  payments(what, answer, column, column);

/** The codes of the specification that refuse, but for `INVALID_REQUEST`, which names no cause. */
const REFUSING_CODES = [
  'INVALID_PHONE',
  'INVALID_BANK_CODE',
  'INVALID_NETWORK',
  'INVALID_ACCOUNT',
  'INVALID_CHANNEL',
  'ACCOUNT_NAME_MISMATCH',
  'ACCOUNT_NOT_FOUND',
  'INSUFFICIENT_BALANCE',
];

const ERROR_CODES = [
  ...REFUSING_CODES,
  ...['INVALID_REQUEST', 'INVALID_BANK', 'UNAUTHORIZED', 'INSUFFICIENT_PERMISSIONS'],
  ...['DUPLICATE_REQUEST', 'DUPLICATE_REFERENCE', 'PROVIDER_ERROR'],
];

/** What the requests of the specification hold, but for the reference. */
const REQUEST_FIELDS = [
  ...['amount', 'currency', 'channel', 'metadata', 'remarks'],
  ...['phone', 'network', 'customer_name', 'customer_email'],
  ...['recipient_name', 'recipient_phone', 'account_name', 'account_number', 'bank_code'],
];

const TAKEN = 'It is taken';
const NAMED = 'Look at your Reference';

const SUCCESS_ROWS: readonly Row[] = [
  ...[{}, [], 0, '', false].map((data) =>
    all(`a success with the data ${JSON.stringify(data)}`, success('SUCCESS', data), SUCCESS),
  ),
  all('a success without a code', success('', {}), SUCCESS),
  all('a success with the code of nobody', success('toString', {}), SUCCESS),
  all('a success without data', success('SUCCESS', undefined), USELESS),
  all('a success with the data null', success('SUCCESS', null), USELESS),
  ...ERROR_CODES.map((code) => all(`a success with the code ${code}`, success(code, {}), USELESS)),
];

const LISTED_ROWS: readonly Row[] = [
  ...REFUSING_CODES.map((code) => payments(code, error({ code }), READ_REFUSED, REFUSED)),
  payments('INVALID_REQUEST', error({ code: 'INVALID_REQUEST' }), READ_REFUSED, REFUSED_WITHOUT_CONFLICT),
  ...['INVALID_PHONE', 'INVALID_REQUEST'].flatMap((code): Row[] => [
    payments(`${code} beside a record`, error({ code, mayHoldRecord: true }), READ_REFUSED, UNPROVEN),
    payments(
      `${code} that speaks of an earlier payment`,
      error({ code, message: TAKEN }),
      READ_REFUSED,
      UNPROVEN,
    ),
    payments(
      `${code} with a message about what no request holds`,
      complaint(['payment'], { code }),
      READ_REFUSED,
      UNPROVEN,
    ),
  ]),
  payments(
    'INVALID_PHONE with a message about a field of the request',
    complaint(['phone'], { code: 'INVALID_PHONE' }),
    READ_REFUSED,
    REFUSED,
  ),
  payments(
    'INVALID_PHONE that speaks of the reference',
    error({ code: 'INVALID_PHONE', message: NAMED }),
    READ_REFUSED,
    REFUSED,
  ),
  payments(
    'INVALID_REQUEST that speaks of the reference',
    error({ code: 'INVALID_REQUEST', message: NAMED }),
    READ_REFUSED,
    UNPROVEN,
  ),
];

const VOUCHED_ROWS: readonly Row[] = [
  payments('a code of the merchant', error({ code: 'LIMIT_REACHED' }), READ_REFUSED, VOUCHED),
  payments('a listed code of the merchant', error({ code: 'INVALID_BANK' }), READ_REFUSED, VOUCHED),
  payments(
    'a listed code of the merchant beside a record',
    error({ code: 'INVALID_BANK', mayHoldRecord: true }),
    READ_REFUSED,
    VOUCHED,
  ),
  payments(
    'a listed code of the merchant that speaks of an earlier payment',
    error({ code: 'INVALID_BANK', message: TAKEN }),
    READ_REFUSED,
    UNPROVEN,
  ),
  payments(
    'a listed code of the merchant with a message about what no request holds',
    complaint(['payment'], { code: 'INVALID_BANK' }),
    READ_REFUSED,
    UNPROVEN,
  ),
  payments(
    'a code of the merchant beside a record',
    error({ code: 'LIMIT_REACHED', mayHoldRecord: true }),
    READ_REFUSED,
    VOUCHED,
  ),
  payments(
    'a code of the merchant that speaks of an earlier payment',
    error({ code: 'LIMIT_REACHED', message: TAKEN }),
    READ_REFUSED,
    VOUCHED,
  ),
  payments(
    'a code of the merchant with a message about what no request holds',
    complaint(['payment'], { code: 'LIMIT_REACHED' }),
    READ_REFUSED,
    VOUCHED,
  ),
  payments(
    'a code of the merchant with a message about the reference',
    complaint(['reference'], { code: 'LIMIT_REACHED' }),
    READ_REFUSED,
    whatever('duplicate-reference'),
  ),
  payments(
    'a code of the merchant that the specification gives another meaning',
    error({ code: 'UNAUTHORIZED' }),
    whatever('unauthorized'),
    UNAUTHORIZED,
  ),
];

const OTHER_CODE_ROWS: readonly Row[] = [
  payments(
    'INSUFFICIENT_PERMISSIONS',
    error({ code: 'INSUFFICIENT_PERMISSIONS' }),
    whatever('unauthorized'),
    UNAUTHORIZED,
  ),
  payments(
    'INSUFFICIENT_PERMISSIONS beside a record, which speaks of an earlier payment',
    error({ code: 'INSUFFICIENT_PERMISSIONS', message: TAKEN, mayHoldRecord: true }),
    whatever('unauthorized'),
    UNAUTHORIZED,
  ),
  payments(
    'DUPLICATE_REQUEST',
    error({ code: 'DUPLICATE_REQUEST' }),
    whatever('unlisted-code'),
    whatever('duplicate-request'),
  ),
  payments(
    'DUPLICATE_REFERENCE',
    error({ code: 'DUPLICATE_REFERENCE' }),
    whatever('unlisted-code'),
    whatever('duplicate-reference'),
  ),
  all('PROVIDER_ERROR', error({ code: 'PROVIDER_ERROR' }), whatever('provider-error')),
];

const UNLISTED_ROWS: readonly Row[] = [
  ...['NEW', 'toString'].map((code) =>
    all(`a code that no table lists, ${code}`, error({ code }), READ_UNLISTED),
  ),
  [
    'an unlisted code beside a record',
    error({ code: 'NEW', mayHoldRecord: true }),
    READ_UNLISTED,
    UNPROVEN,
    UNLISTED,
  ],
  [
    'an unlisted code that speaks of an earlier payment',
    error({ code: 'NEW', message: TAKEN }),
    READ_UNLISTED,
    UNPROVEN,
    UNLISTED,
  ],
  [
    'an unlisted code that speaks of the reference',
    error({ code: 'NEW', message: NAMED }),
    READ_UNLISTED,
    UNPROVEN,
    UNLISTED,
  ],
  [
    'an unlisted code about the reference',
    error({ code: 'BAD_REFERENCE' }),
    READ_UNLISTED,
    UNPROVEN,
    UNLISTED,
  ],
  payments(
    'an unlisted code with a message about a field of the request',
    complaint(['phone'], { code: 'NEW' }),
    READ_REFUSED,
    UNLISTED,
  ),
  [
    'an unlisted code with a message by field that speaks of an earlier payment',
    error({ code: 'NEW', errors: { phone: [TAKEN] } }),
    READ_REFUSED,
    UNPROVEN,
    UNLISTED,
  ],
];

const UNCODED_ROWS: readonly Row[] = [
  payments('a bare message', error({}), READ_WITHOUT_CODE, WITHOUT_CODE),
  [
    'a bare message beside a record',
    error({ mayHoldRecord: true }),
    READ_WITHOUT_CODE,
    MAY_BE_EARLIER,
    WITHOUT_CODE,
  ],
  [
    'a bare message that speaks of an earlier payment',
    error({ message: TAKEN }),
    READ_WITHOUT_CODE,
    MAY_BE_EARLIER,
    WITHOUT_CODE,
  ],
  [
    'a bare message that speaks of the reference',
    error({ message: NAMED }),
    READ_WITHOUT_CODE,
    MAY_BE_EARLIER,
    WITHOUT_CODE,
  ],
  payments('a body that nobody can read', { shape: 'unreadable' }, READ_UNREADABLE, MAY_BE_EARLIER),
];

const FIELD_ROWS: readonly Row[] = [
  ...REQUEST_FIELDS.map((field) =>
    payments(`a message about ${field}`, complaint([field]), READ_REFUSED, REFUSED_WITHOUT_CONFLICT),
  ),
  payments(
    'messages about fields of the request, one of them nested',
    complaint(['amount', 'metadata.order.id']),
    READ_REFUSED,
    REFUSED_WITHOUT_CONFLICT,
  ),
  ...['payment', 'phone_number', 'order.amount', 'toString', '', 'Phone'].map((field) =>
    payments(`a message about "${field}"`, complaint([field]), READ_REFUSED, COMPLAINED),
  ),
  payments(
    'messages about a field of the request and about another one',
    complaint(['phone', 'payment']),
    READ_REFUSED,
    COMPLAINED,
  ),
  [
    'a message by field beside a record',
    complaint(['phone'], { mayHoldRecord: true }),
    READ_REFUSED,
    UNPROVEN,
    COMPLAINED,
  ],
  payments(
    'a message by field that speaks of an earlier payment',
    error({ errors: { phone: ['is wrong', TAKEN] } }),
    READ_REFUSED,
    UNPROVEN,
  ),
  payments(
    'a message by field that speaks of the reference',
    error({ errors: { phone: [NAMED] } }),
    READ_REFUSED,
    UNPROVEN,
  ),
  payments(
    'a message about another field that speaks of an earlier payment',
    error({ errors: { payment: [TAKEN] } }),
    READ_REFUSED,
    UNPROVEN,
  ),
  ...['reference', 'Reference', 'payment.reference', 'merchant_reference'].map((field) =>
    payments(
      `messages about a field of the request and about ${field}`,
      complaint(['phone', field]),
      READ_REFUSED,
      whatever('duplicate-reference'),
    ),
  ),
  ...['Idempotency-Key', 'idempotency_key', 'headers.idempotency-key'].map((field) =>
    payments(
      `messages about the reference and about ${field}`,
      complaint(['reference', field]),
      READ_REFUSED,
      whatever('duplicate-request'),
    ),
  ),
  payments(
    'a refusing code with a message about the reference',
    complaint(['reference'], { code: 'INVALID_PHONE' }),
    whatever('refused'),
    whatever('duplicate-reference'),
  ),
];

describe('an answer under every status', () => {
  const rows = [
    ...SUCCESS_ROWS,
    ...LISTED_ROWS,
    ...VOUCHED_ROWS,
    ...OTHER_CODE_ROWS,
    ...UNLISTED_ROWS,
    ...UNCODED_ROWS,
    ...FIELD_ROWS,
  ];

  it.each(rows)('%s has one event for each kind of call', (_, answer, read, collection, disbursement) => {
    expect({
      read: column('read', answer),
      collection: column('collection', answer),
      disbursement: column('disbursement', answer),
    }).toEqual({ read, collection, disbursement });
  });
});

describe('a message beside a code that refuses', () => {
  const eventOf = (message: string): TryEvent =>
    classifyAnswer('disbursement', 422, error({ code: 'INVALID_PHONE', message }), REFUSAL_CODES);

  it.each([
    'Idempotency key reused',
    'The request is idempotent',
    'A duplicate',
    'Duplicated',
    'It is there ALREADY',
    'It must be unique',
    'See the previous one',
    'Previously paid',
    'Another one is in progress',
    'One is pending',
    'It was processed',
    'We are processing it',
    'Do not repeat it',
    'Repeated',
    'The number is in use',
    'The number is in-use',
    'It has been taken.',
    'used',
    'It was re-used',
    'It was reused',
    'They exist',
    'It exists',
    'It existed',
    'There is an existing one',
    'The account must not exist',
    'The account does not exist already',
    'The account does not exist, and they exist',
    'The payment does not exist',
    'Use an order number that does not exist',
    'The account 12 does not exist',
  ])('that says "%s" may speak of an earlier payment', (message) => {
    expect(eventOf(message)).toBe('unproven-refusal');
  });

  it.each([
    'No',
    '',
    'We cannot process it',
    'The processor said no',
    'You are mistaken',
    'The network is unused',
    'The usedup balance',
    'They coexist',
    'The account does not exist',
    'BANK CODE DOES NOT EXIST',
    'Such banks do not exist.',
    "The recipient's account number doesn't exist",
    'Wallets don’t exist',
    'Its existence is unclear',
    'In case of use',
    'inuse',
    'in_use',
    'The takeaway',
  ])('that says "%s" refuses', (message) => {
    expect(eventOf(message)).toBe('refused');
  });
});

describe('an earlier payment', () => {
  it.each<[place: string, body: Partial<GatewayErrorBody>]>([
    ['the code', { code: 'ALREADY_PAID' }],
    ['the message', { code: 'NEW', message: 'already paid' }],
    ['a message about a field', { code: 'NEW', errors: { phone: ['is wrong', 'already paid'] } }],
    [
      'a message about the last field',
      { code: 'NEW', errors: { phone: ['is wrong'], amount: ['is paid already'] } },
    ],
  ])('is found in %s', (_, body) => {
    expect(classifyAnswer('collection', 400, error(body), REFUSAL_CODES)).toBe('unproven-refusal');
  });

  it('is not read out of two adjacent texts', () => {
    const body = { code: 'INVALID_PHONE', message: 'al', errors: { phone: ['ready', 'refer', 'ence'] } };
    expect(classifyAnswer('collection', 400, error(body), REFUSAL_CODES)).toBe('refused');
    expect(classifyAnswer('collection', 400, error({ ...body, code: 'NEW' }), REFUSAL_CODES)).toBe(
      'unlisted-code',
    );
  });
});

it('words about an earlier payment count, even if they are spread over several texts', () => {
  const answer = error({
    code: 'INVALID_REQUEST',
    message: 'This is in',
    errors: { amount: ['use for another'] },
  });
  expect(classifyAnswer('disbursement', 422, answer, REFUSAL_CODES)).toBe('unproven-refusal');
});

it.each<[status: number, body: Partial<GatewayErrorBody>, event: TryEvent]>([
  [200, {}, 'refused'],
  [422, { mayHoldRecord: true }, 'refused'],
  [409, {}, 'server-error'],
  [200, { message: 'A payment with this reference is already pending.' }, 'unproven-refusal'],
  [422, { message: NAMED }, 'unproven-refusal'],
  [409, { message: TAKEN }, 'server-error'],
])('INVALID_REQUEST of the merchant with %i and %j is %s', (status, body, event) => {
  const answer = error({ code: 'INVALID_REQUEST', ...body });
  for (const kind of ['collection', 'disbursement'] as const)
    expect(classifyAnswer(kind, status, answer, new Set(['INVALID_REQUEST']))).toBe(event);
});
