import { describe, expect, it } from '@jest/globals';
import { GATEWAY_CODES } from '../../../lib/errors/gateway-codes.js';
import { type CallKind } from '../../../lib/transport/gateway-call.js';
import { classifyAnswer } from '../../../lib/transport/classify-answer.js';
import { parseAnswer } from '../../../lib/transport/parse-answer.js';

function meaning(
  status: number,
  body: unknown,
  kind: CallKind = 'disbursement',
  refusalCodes: string[] = [],
) {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return classifyAnswer(kind, status, parseAnswer(text), new Set(refusalCodes));
}

const shapeA = (code: string) => ({ status: 'error', code, message: 'No' });
const shapeB = (code: string) => ({ success: false, code, message: 'No' });
const shapeC = (...fields: string[]) => ({
  success: false,
  message: 'No',
  errors: Object.fromEntries(fields.map((field) => [field, ['is wrong']])),
});
const success = { status: 'success', code: 'SUCCESS', message: 'Yes', data: {} };

describe('classifying an answer', () => {
  for (const [code, { effect }] of Object.entries(GATEWAY_CODES)) {
    it(`${code} means ${effect}, in both shapes and under any status`, () => {
      for (const status of [200, 400, 401, 409, 422, 429, 500, 503]) {
        expect(meaning(status, shapeA(code))).toBe(effect);
        expect(meaning(status, shapeB(code))).toBe(effect);
      }
    });
  }

  const table: [what: string, status: number, body: unknown, expected: string][] = [
    ['success with 200', 200, success, 'success'],
    ['success with 201', 201, success, 'success'],
    ['success without data', 200, { ...success, data: undefined }, 'bad-answer'],
    ['success with data null', 200, { ...success, data: null }, 'bad-answer'],
    ['success that also says success false', 200, { ...success, success: false }, 'unlisted-code'],
    ['success under 500', 500, success, 'server-error'],
    ['success under 400', 400, success, 'bad-answer'],
    ['success with the code of an error', 200, { ...success, code: 'INSUFFICIENT_BALANCE' }, 'bad-answer'],
    ['an empty 200', 200, '', 'bad-answer'],
    ['a blank 200', 200, ' \n', 'bad-answer'],
    ['HTML under 200', 200, '<html>Welcome</html>', 'bad-answer'],
    ['HTML under 502', 502, '<html>Bad gateway</html>', 'server-error'],
    ['HTML of a proxy under 413', 413, '<html>Too large</html>', 'refused'],
    ['broken JSON under 200', 200, '{"status":"succ', 'bad-answer'],
    ['broken JSON under 400, which may hide a code', 400, '{"status":"error","code":"DUPLIC', 'bad-answer'],
    ['a JSON array', 200, '[]', 'bad-answer'],
    ['a JSON string', 200, '"ok"', 'bad-answer'],
    ['JSON null', 200, 'null', 'bad-answer'],
    ['a bare message under 200', 200, { message: 'Hello' }, 'bad-answer'],
    ['a bare message under 404', 404, { message: 'Not found' }, 'refused'],
    ['a bare message under 422', 422, { message: 'No' }, 'refused'],
    ['a bare message under 401', 401, { message: 'Unauthenticated.' }, 'unauthorized'],
    ['a bare message under 403', 403, { message: 'Forbidden' }, 'unauthorized'],
    ['a bare message under 408', 408, { message: 'Timeout' }, 'server-error'],
    ['a bare message under 409', 409, { message: 'Conflict' }, 'server-error'],
    ['a bare message under 429', 429, { message: 'Too many' }, 'rate-limited'],
    ['HTML under 429', 429, '<html>Slow down</html>', 'rate-limited'],
    ['a bare message under 500', 500, { message: 'Oops' }, 'server-error'],
    ['a bare message under another 4xx', 410, { message: 'Gone' }, 'unlisted-code'],
    ['an unlisted code under 400', 400, shapeA('BRAND_NEW'), 'unlisted-code'],
    ['an unlisted code under 409', 409, shapeA('BRAND_NEW'), 'unlisted-code'],
    ['an unlisted code under 500', 500, shapeA('BRAND_NEW'), 'unlisted-code'],
    ['an unlisted code under 401', 401, shapeA('BRAND_NEW'), 'unauthorized'],
    ['an unlisted code under 429', 429, shapeA('TOO_MANY'), 'rate-limited'],
    ['field messages', 422, shapeC('phone'), 'refused'],
    ['field messages under 200', 200, shapeC('phone'), 'refused'],
    ['field messages that name the reference', 422, shapeC('reference'), 'duplicate-reference'],
    ['field messages without a field', 422, shapeC(), 'refused'],
    ['field messages without a field under 500', 500, shapeC(), 'server-error'],
    ['a redirect', 302, '', 'redirect'],
    ['a redirect with a body', 307, shapeA('INVALID_PHONE'), 'redirect'],
    ['a code that is the name of an object method', 400, shapeA('toString'), 'unlisted-code'],
  ];

  for (const [what, status, body, expected] of table) {
    it(`${what} means ${expected}`, () => {
      expect(meaning(status, body)).toBe(expected);
    });
  }

  it('takes the codes of the refusalCodes option as refusals', () => {
    expect(meaning(500, shapeA('LIMIT_REACHED'), 'disbursement', ['LIMIT_REACHED'])).toBe('refused');
  });

  it('finds nothing to duplicate in a call that only reads', () => {
    expect(meaning(409, shapeA('DUPLICATE_REQUEST'), 'read')).toBe('unlisted-code');
    expect(meaning(422, shapeC('reference'), 'read')).toBe('refused');
  });
});

describe('parsing an answer', () => {
  it('reads the envelope', () => {
    const text = '{"status":"success","code":"X","message":"m","data":[1],"request_id":"r"}';
    expect(parseAnswer(` ${text}\n`)).toEqual({
      shape: 'success',
      text,
      envelope: { code: 'X', message: 'm', data: [1], requestId: 'r' },
    });
  });

  it('tolerates a byte order mark and blank lines around it', () => {
    expect(parseAnswer('\uFEFF\n{"message":"m"}\n')).toEqual({
      shape: 'error',
      error: { message: 'm', errors: {} },
    });
  });

  it('reads a single field message that is not in an array, and leaves out what is no text', () => {
    expect(parseAnswer('{"errors":{"phone":"wrong","amount":[1,"low"],"__proto__":["x"]}}')).toMatchObject({
      error: { errors: { phone: ['wrong'], amount: ['low'] } },
    });
  });

  it('ignores a code that is not text', () => {
    expect(parseAnswer('{"status":"error","code":17}')).toEqual({ shape: 'error', error: { errors: {} } });
  });
});
