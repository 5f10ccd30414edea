import { type ServerResponse } from 'node:http';

/** A payment as it was asked for. */
export interface RequestedPayment {
  readonly reference: string;
  readonly amount: unknown;
}

/**
 * Whether a gateway may say so although the money moves.
 *
 * - `never`: a refusal, or a request that was turned away.
 * - `payouts`: the design rules take it for a refusal of a collection, and for nothing of a payout.
 * - `always`: it says nothing about the money.
 */
export type AfterEffect = 'never' | 'payouts' | 'always';

export interface GatewayAnswer {
  readonly afterEffect: AfterEffect;
  readonly write: (response: ServerResponse, asked: RequestedPayment) => void;
}

type Headers = Readonly<Record<string, string>>;

const json =
  (status: number, body: unknown, headers: Headers = {}): GatewayAnswer['write'] =>
  (response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
  };
const text =
  (
    status: number,
    body: string,
    headers: Headers = { 'content-type': 'application/json' },
  ): GatewayAnswer['write'] =>
  (response) => {
    response.writeHead(status, headers).end(body);
  };
/** The head of an answer, and the connection ends before its body does. */
const cut =
  (status: number, body: string): GatewayAnswer['write'] =>
  (response) => {
    response.writeHead(status, { 'content-type': 'application/json', 'content-length': '1000' });
    response.write(body, () => response.socket?.end());
  };

const never = (write: GatewayAnswer['write']): GatewayAnswer => ({ afterEffect: 'never', write });
const payouts = (write: GatewayAnswer['write']): GatewayAnswer => ({ afterEffect: 'payouts', write });
const always = (write: GatewayAnswer['write']): GatewayAnswer => ({ afterEffect: 'always', write });

const REFUSAL = { success: false, code: 'INSUFFICIENT_BALANCE', message: 'no' };

/** Error shape C of the specification: only with `success` it is one. */
function fields(errors: Readonly<Record<string, readonly string[]>>): unknown {
  return { success: false, message: 'no', errors };
}

export function acceptance({ reference, amount }: RequestedPayment): unknown {
  const data = { reference, amount: Number(amount).toFixed(2), currency: 'TZS', status: 'pending' };
  return { status: 'success', code: 'PAYMENT_INITIATED', message: 'ok', data, meta: [], request_id: 'r-1' };
}

/** What a gateway, or something before it, answers to a payment. */
export const ANSWERS = {
  accepted: always((response, asked) => {
    json(200, acceptance(asked))(response, asked);
  }),

  'refused: balance': never(json(422, REFUSAL)),
  'refused: phone': never(json(400, { status: 'error', code: 'INVALID_PHONE', message: 'no' })),
  'refused: fields': never(json(422, fields({ amount: ['too much'] }))),
  'unauthorized 401': never(json(401, { message: 'who are you' })),
  'slow down 429': never(json(429, { message: 'slowly' }, { 'retry-after': '0' })),
  'slow down for long 429': never(json(429, { message: 'slowly' }, { 'retry-after': '100' })),
  'redirect 307': never(text(307, '', { location: '/elsewhere' })),

  '422 without a code': payouts(json(422, { message: 'reference taken' })),
  '422 about what no request holds': payouts(json(422, fields({ notification: ['could not be sent'] }))),
  '400 with a new code': payouts(json(400, { success: false, code: 'BRAND_NEW', message: 'no' })),

  reset: always((response) => response.socket?.resetAndDestroy()),
  silence: always(() => {}),
  'cut 200': always(cut(200, '{"status":"success","data":{')),
  'malformed 200': always(text(200, '{"status":"success","data":{')),
  'html 200': always(text(200, '<html>')),
  'html 502': always(text(502, '<html>', { 'content-type': 'text/html' })),
  'server error 503': always(json(503, { message: 'later' })),
  '504 with a code': always(json(504, REFUSAL)),
  '500 with a code': always(json(500, { success: false, code: 'INVALID_REQUEST', message: 'no' })),
  '408 with fields': always(json(408, fields({ amount: ['too late'] }))),
  '409 with fields': always(json(409, fields({ amount: ['somebody is at it'] }))),
  '200 with a warning': always(json(200, { success: true, errors: { warning: ['slow'] } })),
  '202 with a warning': always(json(202, { success: true, errors: { warning: ['slow'] } })),
  'cut 422': always(cut(422, '{"success":false,')),
  'cut 400 before its body': always(cut(400, '')),
  'empty 422': always(text(422, '')),
  'compressed 422': always(
    text(422, 'garbled', { 'content-type': 'application/json', 'content-encoding': 'gzip' }),
  ),
  'html 422': always(text(422, '<html>', { 'content-type': 'text/html' })),
  'notice before 422': always(text(422, `Notice: undefined index\n${JSON.stringify(REFUSAL)}`)),
  'code elsewhere in 422': always(json(422, { error: { code: 'REFERENCE_TAKEN' } })),
  'fields in 422 without success': always(json(422, { message: 'no', errors: { amount: ['too much'] } })),
  'list of errors in 422': always(json(422, { errors: ['reference taken'] })),
  '422 naming the key': always(json(422, fields({ 'Idempotency-Key': ['was used'] }))),
  '422 naming the reference': always(json(422, fields({ reference: ['was used'] }))),
  'provider error': always(json(422, { success: false, code: 'PROVIDER_ERROR', message: 'no' })),
  'redirect 302': always(text(302, '', { location: '/result' })),
  'another amount': always((response, { reference }) => {
    json(200, acceptance({ reference, amount: '7.00' }))(response, { reference, amount: '7.00' });
  }),
} as const satisfies Readonly<Record<string, GatewayAnswer>>;

export type AnswerName = keyof typeof ANSWERS;

export const ANSWER_NAMES = Object.keys(ANSWERS) as AnswerName[];
