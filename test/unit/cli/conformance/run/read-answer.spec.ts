import { describe, expect, it } from 'vitest';
import { readAnswer } from '../../../../../lib/cli/conformance/run/read-answer.js';
import { redactAnswer } from '../../../../../lib/cli/conformance/run/redact-answer.js';

function read(body: unknown, status = 200, headers = {}) {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const answer = { status, headers, text, durationMs: 1 };
  return readAnswer(redactAnswer(answer, { run: 'run', references: [], inputs: [] }));
}

describe('what an answer is', () => {
  it.each([
    [{ status: 'success', data: {} }, 201, { kind: 'accepted', status: 201 }],
    [{ status: 'error', code: 'INVALID_BANK', message: '' }, 422, { kind: 'refused', shape: 'A' }],
    [{ success: false, code: 'INVALID_BANK', new: 1 }, 500, { kind: 'refused', shape: 'B', status: 500 }],
    [{ success: false, code: 'INVALID_BANK', errors: {} }, 200, { kind: 'refused', code: 'INVALID_BANK' }],
    [{ success: false, message: '', errors: { phone: ['x'] } }, 422, { kind: 'refused', fields: ['phone'] }],
    [
      { success: false, code: 'NO_SUCH_CODE' },
      422,
      { kind: 'unexpected', why: 'the code NO_SUCH_CODE is not listed' },
    ],
    [
      { success: false, code: 'Amani Juma' },
      422,
      { kind: 'unexpected', why: 'the code has an unknown form' },
    ],
    [{ success: false, code: 'INVALID_BANK' }, 302, { kind: 'unexpected', why: 'a refusal comes with 302' }],
    [{ success: false, code: 'INVALID_BANK' }, 777, { kind: 'unexpected' }],
    [{ success: false, code: 'INVALID_BANK', data: { id: 1 } }, 422, { kind: 'unexpected' }],
    [{ success: false, status: 'error', code: 'INVALID_BANK' }, 422, { kind: 'unexpected' }],
    [{ success: false, errors: ['phone'] }, 422, { kind: 'unexpected' }],
    [{ success: false, errors: { phone: 'x' } }, 422, { kind: 'unexpected' }],
    [
      { message: 'no' },
      422,
      { kind: 'unexpected', why: 'a body with the fields message is in no shape that is shown' },
    ],
    [{}, 404, { kind: 'unexpected' }],
    ['<p>', 200, { kind: 'unexpected', why: 'the body is no JSON object' }],
    ['[]', 200, { kind: 'unexpected' }],
    [{ status: 'success', data: {} }, 204, { kind: 'unexpected', why: 'a success comes with 204' }],
    [{ status: 'success', data: {} }, 400, { kind: 'unexpected', why: 'a success comes with 400' }],
    [{ status: 'success', data: {} }, 500, { kind: 'fault', why: 'HTTP 500' }],
    ['<p>', 503, { kind: 'fault', why: 'HTTP 503' }],
    [{ success: false, code: 'NO_SUCH_CODE' }, 503, { kind: 'fault' }],
    [{ success: false, code: 'INVALID_BANK' }, 429, { kind: 'fault', retryAfter: 10 }],
    [{ success: false, code: 'PROVIDER_ERROR' }, 422, { kind: 'fault', why: 'PROVIDER_ERROR' }],
  ])('reads %j with %i', (body, status, kind) => {
    expect(read(body, status)).toMatchObject(kind);
  });

  it('takes a body that was cut for a failure, with a clear reason', () => {
    const answer = { status: 200, headers: {}, text: '{"data":[', durationMs: 1, isCut: true } as const;
    expect(readAnswer(redactAnswer(answer, { run: 'run', references: [], inputs: [] }))).toEqual({
      kind: 'fault',
      why: 'its body is longer than 64 kB',
    });
  });

  it('reads how long to wait', () => {
    expect(read({}, 429, { 'retry-after': '3' })).toMatchObject({ retryAfter: 3 });
    expect(read({}, 429, { 'retry-after': 'Thu, 01 Jan 2099 00:00:00 GMT' })).toMatchObject({
      retryAfter: 10,
    });
  });
});
