import { describe, expect, it } from 'vitest';
import { GATEWAY_CODES } from '../../../lib/errors/gateway-codes.js';
import { classifyAnswer } from '../../../lib/gateway/answer/classify-answer.js';
import { decideAfterTry } from '../../../lib/gateway/decide-after-try.js';
import { type CallKind } from '../../../lib/gateway/gateway-call.js';
import { type BodyHeaders } from '../../../lib/gateway/http/http-transport.js';
import { parseAnswer } from '../../../lib/gateway/answer/parse-answer.js';

/**
 * What an answer makes of a call. `again` sends the same key in the next call, `next` another one; `retry` is tried again
 * in the same call, `probe` once more if the options allow it, and `?` is an unknown outcome.
 */
function cell(
  kind: CallKind,
  status: number,
  body: unknown,
  headers: BodyHeaders = {},
  refusalCodes: ReadonlySet<string> = new Set(['LIMIT_REACHED']),
): string {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const event = classifyAnswer(kind, status, parseAnswer(text, headers), refusalCodes);
  const last = { event, httpStatus: status, resent: false } as const;
  const { decision } = decideAfterTry(kind, { answered: false, turnedAway: true, doubt: undefined }, last);
  const { retry, verdict, probe } = decision;
  if (retry) return 'retry';
  if (verdict.end === 'unknown') return `${probe ? 'probe ' : ''}? ${verdict.evidence}`;
  if (verdict.end !== 'rejected') return verdict.end;
  return kind === 'read' ? 'rejected' : `rejected, ${verdict.proven ? 'next' : 'again'}`;
}

const A = (code?: unknown, more: object = {}) => ({ status: 'error', code, message: 'No', ...more });
const B = (code?: unknown, more: object = {}) => ({ success: false, code, message: 'No', ...more });
const C = (...fields: string[]) =>
  B(undefined, { errors: Object.fromEntries(fields.map((f) => [f, ['is wrong']])) });
const SUCCESS = { status: 'success', code: 'SUCCESS', message: 'Yes', data: {} };
const REFUSAL = JSON.stringify(B('INVALID_PHONE'));

type Row = readonly [
  what: string,
  statuses: readonly number[],
  body: unknown,
  cells: readonly [read: string, collection: string, disbursement: string],
  headers?: BodyHeaders | undefined,
];

const all = (cell: string): [string, string, string] => [cell, cell, cell];
const payments = (read: string, cell: string): [string, string, string] => [read, cell, cell];
const codesOf = (effect: string): string[] =>
  Object.entries(GATEWAY_CODES).flatMap(([code, info]) => (info.effect === effect ? [code] : []));

/** Under these every listed code refuses: the specification shows no status of a refusal. */
const FITTING = [400, 402, 404, 405, 410, 411, 412, 413, 415, 422];
const SERVER_ERRORS = [500, 502, 503, 504];
const SUCCESSES = [200, 201, 202];
const WITHOUT_CODE = [400, 404, 405, 411, 413, 415, 422];
const REFUSED = payments('rejected', 'rejected, next');
const UNPROVEN = payments('retry', '? bad-answer');
const AMBIGUOUS = payments('retry', 'probe ? server-error');

const SUCCESS_ROWS: readonly Row[] = [
  ['success', SUCCESSES, SUCCESS, all('success')],
  ['success with a warning beside it', [200], { ...SUCCESS, errors: { warning: ['slow'] } }, all('success')],
  ['success without data', [200], { ...SUCCESS, data: undefined }, payments('retry', 'probe ? bad-answer')],
  ['success with data null', [200], { ...SUCCESS, data: null }, payments('retry', 'probe ? bad-answer')],
  ['success under 500', [500], SUCCESS, AMBIGUOUS],
  ['success under 400', [400], SUCCESS, payments('retry', 'probe ? bad-answer')],
  [
    'success with the code of an error',
    [200],
    { ...SUCCESS, code: 'INSUFFICIENT_BALANCE' },
    payments('retry', 'probe ? bad-answer'),
  ],
  [
    'success that also says false',
    [200],
    { ...SUCCESS, success: false },
    payments('retry', 'probe ? bad-answer'),
  ],
];

const LISTED_ROWS: readonly Row[] = [...codesOf('refused'), 'LIMIT_REACHED'].flatMap((code): Row[] => [
  [
    `${code} beside a conflict`,
    [409],
    B(code),
    code === 'INVALID_REQUEST' ? payments('rejected', 'probe ? server-error') : REFUSED,
  ],
  [`${code} in shape A`, FITTING, A(code), REFUSED],
  [`${code} in shape B`, FITTING, B(code), REFUSED],
  [`${code} of a server that failed`, SERVER_ERRORS, B(code), payments('rejected', '? server-error')],
  [`${code} after the request timed out`, [408], B(code), payments('rejected', 'probe ? server-error')],
  [`${code} beside bad credentials`, [401, 403], B(code), payments('rejected', 'authentication')],
  [`${code} beside too many requests`, [429], B(code), payments('rejected', 'retry')],
  [
    `${code} too early, or after the client has left`,
    [425, 499],
    B(code),
    payments('rejected', '? bad-answer'),
  ],
]);

/** The specification lists no code for a collection whose reference exists already. */
const EARLIER_ROWS: readonly Row[] = [
  'Reference already taken',
  'The reference has been taken.',
  'Duplicate transaction',
  'Idempotency key reused',
  'The reference has been used before',
  'A payment with this number exists.',
  'The reference must be unique.',
  'This request was processed before',
  'Another request is in progress',
  'The first payment is still pending',
  'See the previous request',
  'reference reused',
  'Numbers exist',
  'The request id is in use',
  'Repeated request',
  'Reference no. 17',
  'There is an existing payment',
  'A payment existed',
  'The number is in-use',
  'We are processing it',
].map((message): Row => [
  `INVALID_REQUEST with the message "${message}"`,
  [400, 422],
  A('INVALID_REQUEST', { message }),
  payments('rejected', '? bad-answer'),
]);

const VOUCHED_ROWS: readonly Row[] = [
  ...codesOf('refused').map((code): Row => [
    `${code} in a 2xx`,
    SUCCESSES,
    A(code),
    payments('rejected', '? bad-answer'),
  ]),
  ['a code of refusalCodes in a 2xx', SUCCESSES, B('LIMIT_REACHED'), REFUSED],
  [
    'a code of refusalCodes under a status of no final answer',
    [100, 199],
    B('LIMIT_REACHED'),
    payments('rejected', '? bad-answer'),
  ],
];

/** What the requests of the specification hold, but for the reference. */
const FIELDS = [
  ...['amount', 'currency', 'channel', 'metadata', 'remarks'],
  ...['phone', 'network', 'customer_name', 'customer_email'],
  ...['recipient_name', 'recipient_phone', 'account_name', 'account_number', 'bank_code'],
];

const FIELD_ROWS: readonly Row[] = [
  ...FIELDS.map((field): Row => [`field messages about ${field}`, [400, 422], C(field), REFUSED]),
  ['field messages', FITTING, C('phone'), REFUSED],
  ['field messages about what was nested', [400, 422], C('amount', 'metadata.order'), REFUSED],
  ...[['payment'], ['notification'], ['phone', 'payment'], ['toString'], ['order.amount']].map(
    (fields): Row => [
      `field messages about what no request holds: ${fields.join()}`,
      [400, 422],
      C(...fields),
      ['rejected', 'rejected, again', '? bad-answer'],
    ],
  ),
  [
    'a code beside field messages about what no request holds',
    [422],
    B('INVALID_REQUEST', { errors: { payment: ['is processed'] } }),
    payments('rejected', '? bad-answer'),
  ],
  ['field messages in a 2xx', SUCCESSES, C('phone'), payments('rejected', '? bad-answer')],
  [
    'field messages of a server that failed',
    SERVER_ERRORS,
    C('phone'),
    payments('rejected', '? server-error'),
  ],
  ['field messages under 408 and 409', [408, 409], C('phone'), payments('rejected', 'probe ? server-error')],
  [
    'field messages about the reference',
    [409, 422, 500],
    C('phone', 'reference'),
    payments('rejected', '? duplicate-reference'),
  ],
  [
    'field messages about the key',
    [409, 422],
    C('Idempotency-Key'),
    payments('rejected', '? duplicate-request'),
  ],
  [
    'field messages about idempotency_key',
    [400],
    C('idempotency_key', 'reference'),
    payments('rejected', '? duplicate-request'),
  ],
  [
    'a code beside field messages about the reference',
    [422],
    B('INVALID_REQUEST', { errors: { reference: ['taken'] } }),
    payments('rejected', '? duplicate-reference'),
  ],
  ...['has already been taken', 'is a duplicate', 'was taken', 'was used', 'exists'].map((message): Row => [
    `field messages that may speak of an earlier payment: ${message}`,
    [422],
    B(undefined, { errors: { phone: [message] } }),
    payments('rejected', '? bad-answer'),
  ]),
  [
    'field messages beside a record',
    [422],
    { ...C('phone'), payment: { id: 9, status: 'processing' } },
    UNPROVEN,
  ],
  ['a code beside field messages', [422], B('INVALID_REQUEST', { errors: { phone: ['bad'] } }), REFUSED],
  ['field messages beside success: true', [422], { success: true, errors: { warning: ['slow'] } }, UNPROVEN],
  [
    'a warning beside success: true',
    [200, 202],
    { success: true, errors: { warning: ['slow'] } },
    payments('retry', 'probe ? bad-answer'),
  ],
  [
    'field messages that nobody calls an error',
    [422],
    { message: 'No', errors: { phone: ['bad'] } },
    UNPROVEN,
  ],
  ['field messages that are no lists', [422], B(undefined, { errors: { phone: 'bad' } }), UNPROVEN],
  ['field messages that are no texts', [422], B(undefined, { errors: { phone: [1] } }), UNPROVEN],
  ['an empty list of field messages', [422], B(undefined, { errors: { phone: [] } }), UNPROVEN],
];

const UNCODED_ROWS: readonly Row[] = [
  ...[{ message: 'No' }, B(), A(), B(null, { errors: [], data: null }), B('')].map((body): Row => [
    `${JSON.stringify(body)} under a clear status`,
    WITHOUT_CODE,
    body,
    ['rejected', 'rejected, again', '? bad-answer'],
  ]),
  [
    'a bare message under another 4xx',
    [402, 410, 418],
    { message: 'No' },
    payments('rejected', '? bad-answer'),
  ],
  ['a bare message under 408 and 409', [408, 409], { message: 'No' }, AMBIGUOUS],
  ['a bare message under 5xx', SERVER_ERRORS, { message: 'No' }, AMBIGUOUS],
  ['a bare message under 200', [200], { message: 'Hello' }, payments('retry', 'probe ? bad-answer')],
  ['credentials', [401, 403], { message: 'Unauthenticated.' }, all('authentication')],
  ['too many requests', [429], { message: 'Too many' }, all('retry')],
  ...['This reference is taken.', 'Already processed', 'Duplicate payment', 'Idempotency key reused'].map(
    (message): Row => [
      `the message "${message}"`,
      [400, 422],
      { message },
      payments('rejected', '? bad-answer'),
    ],
  ),
];

/** A gateway that writes a record beside its refusal may have made the payment. */
const RECORD_ROWS: readonly Row[] = [
  { result: { id: 'T1', status: 'processing' } },
  { transaction_id: 'T1', payment_status: 'processing' },
  { provider_reference: 'PA-1' },
  { trx_id: 'T1', amount: '1000.00' },
  { payout: { id: 'T1' } },
  { details: [{ transaction: { id: 'T1' } }] },
  { Data: { id: 'T1' } },
  { meta: [{ id: 'T1' }] },
].flatMap((record): Row[] => [
  [
    `INVALID_PHONE beside ${JSON.stringify(record)}`,
    [400, 422],
    A('INVALID_PHONE', record),
    payments('rejected', '? bad-answer'),
  ],
  [
    `an unlisted code beside ${JSON.stringify(record)}`,
    [400, 422],
    A('NEW', record),
    ['rejected', '? bad-answer', '? unlisted-code'],
  ],
  [`a code of refusalCodes beside ${JSON.stringify(record)}`, [422], A('LIMIT_REACHED', record), REFUSED],
  [
    `DUPLICATE_REQUEST beside ${JSON.stringify(record)}`,
    [409],
    A('DUPLICATE_REQUEST', record),
    ['retry', '? duplicate-request', '? duplicate-request'],
  ],
]);

/** What a gateway may add without meaning anything by it. */
const ADDED_ROWS: readonly Row[] = [
  [
    'INVALID_PHONE beside fields that nobody documented',
    FITTING,
    A('INVALID_PHONE', { trace: { span: 'a' }, version: 2, timestamp: '2026-01-01T00:00:00Z' }),
    REFUSED,
  ],
];

const CODE_ROWS: readonly Row[] = [
  ...codesOf('unauthorized').map((code): Row => [code, [400, 401, 403], A(code), all('authentication')]),
  ...codesOf('unauthorized').map((code): Row => [
    `${code} of a server that failed`,
    SERVER_ERRORS,
    A(code),
    payments('authentication', '? server-error'),
  ]),
  ['DUPLICATE_REQUEST', [200, 409, 500], B('DUPLICATE_REQUEST'), payments('retry', '? duplicate-request')],
  ['DUPLICATE_REQUEST', [400, 422], A('DUPLICATE_REQUEST'), payments('rejected', '? duplicate-request')],
  [
    'DUPLICATE_REFERENCE',
    [400, 422],
    A('DUPLICATE_REFERENCE'),
    payments('rejected', '? duplicate-reference'),
  ],
  ['PROVIDER_ERROR', [200, 400, 422, 429, 502], B('PROVIDER_ERROR'), payments('retry', '? provider-error')],
  ['an unlisted code', [400, 410, 422], B('NEW'), ['rejected', 'rejected, again', '? unlisted-code']],
  [
    'an unlisted code elsewhere',
    [200, 408, 409, 425, 499, 500],
    B('NEW'),
    payments('retry', '? unlisted-code'),
  ],
  ['an unlisted code beside bad credentials', [401], A('NEW'), all('authentication')],
  ['an unlisted code beside too many requests', [429], A('NEW'), all('retry')],
  [
    'an unlisted code about a reference',
    [422],
    B('REFERENCE_TAKEN'),
    ['rejected', '? bad-answer', '? unlisted-code'],
  ],
  [
    'a code that is the name of an object method',
    [400],
    A('toString'),
    ['rejected', 'rejected, again', '? unlisted-code'],
  ],
];

/** Refusals with other text around them, before them or instead of them. */
const UNREADABLE: readonly (readonly [what: string, body: unknown, headers?: BodyHeaders])[] = [
  ['nothing', ''],
  ['blanks', ' \n'],
  ['HTML', '<html>No</html>'],
  ['XML', '<error><code>INVALID_PHONE</code></error>'],
  ['a JSON body that was cut off', REFUSAL.slice(0, -1)],
  ['a code that was cut off', '{"success":false,"code":"DUPLIC'],
  ['a JSONP call', `callback(${REFUSAL})`],
  ['a JSON prefix against hijacking', `)]}',\n${REFUSAL}`],
  ['a PHP notice before the JSON', `\nNotice: Undefined index in pay.php on line 3\n${REFUSAL}`],
  ['two JSON texts', REFUSAL + REFUSAL],
  ['two statuses', '{"status":"success","status":"error","code":"INVALID_PHONE","message":"No"}'],
  ['a status in disguise', '{"st\\u0061tus":"success","status":"error","code":"INVALID_PHONE"}'],
  ['two codes', '{"success":false,"code":"DUPLICATE_REQUEST","code":"INVALID_PHONE","message":"{"}'],
  ['a list', `[${REFUSAL}]`],
  ['a JSON text', '"INVALID_PHONE"'],
  ['JSON null', 'null'],
  ['an empty object', {}],
  ['a code in `error`', { success: false, message: 'No', error: { code: 'DUPLICATE_REQUEST' } }],
  ['another code in `error`', B('INVALID_REQUEST', { error: { code: 'DUPLICATE_REQUEST' } })],
  ['codes in a list', { success: false, message: 'No', errors: [{ code: 'DUPLICATE_REFERENCE' }] }],
  ['a listed code beside a list', B('INVALID_REQUEST', { errors: [{ code: 'DUPLICATE_REFERENCE' }] })],
  ['a code without an envelope', { code: 'INVALID_PHONE', message: 'No' }],
  ['a code that is a number', A(17)],
  ['a message that is no text', A('INVALID_REQUEST', { message: { id: 9 } })],
  ['an error that calls itself a success', A('INVALID_PHONE', { success: true })],
  ['an error with another status', B('INVALID_PHONE', { status: 'processing' })],
  ['an error with a record', A('INVALID_PHONE', { data: { status: 'processing' } })],
  ['a bare message with something beside it', { message: 'No', error_code: 'E17' }],
  ['an error without a word', { success: false }],
  ['a compressed body that nobody asked for', REFUSAL, { contentEncoding: 'gzip' }],
  ['the content type of a page', REFUSAL, { contentType: 'text/html; charset=utf-8' }],
  ['the content type of a text', REFUSAL, { contentType: 'text/plain' }],
  ['two content types', REFUSAL, { contentType: 'text/html, application/json' }],
];

const UNREADABLE_ROWS = UNREADABLE.flatMap(([what, body, headers]): Row[] => {
  const row = (statuses: readonly number[], cells: Row[3]): Row => [what, statuses, body, cells, headers];
  return [
    row([400, 402, 404, 410, 413, 422], UNPROVEN),
    row([408, 409, ...SERVER_ERRORS], AMBIGUOUS),
    row([401, 403], all('authentication')),
    row([429], all('retry')),
    row([301, 307, 308], all('redirected')),
    row([302, 303], payments('redirected', '? bad-answer')),
  ];
});

const READABLE: readonly (readonly [what: string, headers: BodyHeaders, before?: string])[] = [
  ['no header', {}],
  ['JSON', { contentType: 'application/json' }],
  ['JSON with a charset', { contentType: 'Application/JSON; charset=utf-8', contentEncoding: 'identity' }],
  ['problem JSON', { contentType: 'application/problem+json' }],
  ['text/json', { contentType: 'text/json' }],
  ['a byte order mark', { contentType: 'application/json' }, '\uFEFF'],
  ['blank lines before it', { contentType: 'application/json' }, '\r\n\r\n'],
];

const READABLE_ROWS = READABLE.map(([what, headers, before = '']): Row => [
  `a refusal with ${what}`,
  [422],
  before + REFUSAL,
  REFUSED,
  headers,
]);

describe('the decision table of money safety, answer by answer', () => {
  const rows = [
    ...SUCCESS_ROWS,
    ...LISTED_ROWS,
    ...EARLIER_ROWS,
    ...VOUCHED_ROWS,
    ...FIELD_ROWS,
    ...UNCODED_ROWS,
    ...RECORD_ROWS,
    ...ADDED_ROWS,
    ...CODE_ROWS,
    ...UNREADABLE_ROWS,
    ...READABLE_ROWS,
  ];
  for (const [what, statuses, body, [read, collection, disbursement], headers] of rows) {
    it.each(statuses)(`${what} under %d`, (status) => {
      const cells = (['read', 'collection', 'disbursement'] as const).map((kind) =>
        cell(kind, status, body, headers),
      );
      expect(cells).toEqual([read, collection, disbursement]);
    });
  }
});

it('takes the code of the merchant for a refusal, even if its message mentions an earlier payment', () => {
  const body = A('LIMIT_REACHED', { message: 'Daily limit already reached' });
  expect(cell('collection', 422, body)).toBe('rejected, next');
});

it('takes a listed code inside a 2xx for a refusal only if the merchant confirms it', () => {
  const vouched = (status: number): string =>
    cell('disbursement', status, A('INVALID_BANK'), {}, new Set(['INVALID_BANK']));
  expect([200, 202, 422, 500].map(vouched)).toEqual([
    'rejected, next',
    'rejected, next',
    'rejected, next',
    '? server-error',
  ]);
  expect(cell('disbursement', 200, A('INVALID_BANK'))).toBe('? bad-answer');
});
