import { isRecord } from '../../../common/json-object.js';
import { GATEWAY_CODES, type GatewayCode, gatewayCodeInfo } from '../../../errors/gateway-codes.js';
import { type RecordedAnswer, type StepAnswer } from '../questions/step-answer.js';

type Body = Readonly<Record<string, unknown>>;

/** What an answer of the journal is: a success, a refusal, a failure, or something unknown. Never throws. */
export function readAnswer(recorded: RecordedAnswer): StepAnswer {
  const { status, headers, retryAfter, isCut, body } = recorded;
  if (status === 429) return { kind: 'fault', why: 'HTTP 429', retryAfter: retryAfter ?? DEFAULT_WAIT_S };
  if (isCut) return { kind: 'fault', why: 'its body is longer than 64 kB' };
  const seen = { status, headers, ...requestIdOf(body) };
  const refusal = body && refusalIn(body);
  // The provider failed at an unknown moment: the money may have moved.
  if (refusal && 'code' in refusal && refusal.code === 'PROVIDER_ERROR')
    return { kind: 'fault', why: 'PROVIDER_ERROR' };
  if (refusal) {
    return isPossible(status)
      ? { kind: 'refused', ...refusal, ...seen }
      : { kind: 'unexpected', why: `a refusal comes with ${status}`, ...seen };
  }
  if (status >= 500) return { kind: 'fault', why: `HTTP ${status}` };
  if (body?.['status'] === 'success' && body['success'] !== false) {
    return hasBody(status)
      ? { kind: 'accepted', ...seen, data: body['data'] }
      : { kind: 'unexpected', why: `a success comes with ${status}`, ...seen };
  }
  return { kind: 'unexpected', why: whyUnexpected(body), ...seen };
}

/** A gateway that gives no time wants peace, too. */
const DEFAULT_WAIT_S = 10;

type Refusal =
  | { readonly shape: 'A' | 'B'; readonly code: GatewayCode }
  | { readonly shape: 'C'; readonly fields: readonly string[] };

/** The refusal in one of the three shapes of the specification ("Errors"); undefined for anything else. */
function refusalIn(body: Body): Refusal | undefined {
  const { status, success, code, data } = body;
  const isA = status === 'error' && success === undefined;
  const isB = success === false && status === undefined;
  if ((!isA && !isB) || !isEmpty(data)) return undefined;
  const { errors } = body;
  if (isListed(code)) return isEmpty(errors) ? { shape: isA ? 'A' : 'B', code } : undefined;
  if (!isB || !isEmpty(code) || !isRecord(errors)) return undefined;
  const fields = Object.keys(errors);
  return fields.length > 0 && Object.values(errors).every(areMessages) ? { shape: 'C', fields } : undefined;
}

function whyUnexpected(body: Body | undefined): string {
  if (!body) return 'the body is no JSON object';
  const { code } = body;
  if (typeof code === 'string' && code !== '' && !isListed(code))
    return code === '…' ? 'the code has an unknown form' : `the code ${code} is not listed`;
  return `a body with the fields ${Object.keys(body).sort().join(', ') || 'of an empty object'} is in no shape that is shown`;
}

function requestIdOf(body: Body | undefined): { readonly requestId?: string } {
  const id = body?.['request_id'];
  return typeof id === 'string' && id !== '…' ? { requestId: id } : {};
}

/** A success with 204, 205 or 206 has none, or a part. */
function hasBody(status: number): boolean {
  return status >= 200 && status <= 203;
}

function isPossible(status: number): boolean {
  return hasBody(status) || (status >= 400 && status <= 599);
}

function isListed(code: unknown): code is GatewayCode {
  return typeof code === 'string' && gatewayCodeInfo(code) !== undefined && code in GATEWAY_CODES;
}

function areMessages(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0 && value.every((message) => typeof message === 'string');
}

function isEmpty(value: unknown): boolean {
  return value == null || value === '' || (typeof value === 'object' && Object.keys(value).length === 0);
}
