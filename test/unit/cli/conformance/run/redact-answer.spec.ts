import { describe, expect, it } from 'vitest';
import { redactAnswer } from '../../../../../lib/cli/conformance/run/redact-answer.js';

const PHONE = '255712345678';
const NAME = 'Amani Juma';
const KEPT = { run: 'run', references: ['nc1', 'nc2'] };

function redacted(body: unknown, status = 200, headers = {}) {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return redactAnswer({ status, headers, text, durationMs: 1 }, KEPT);
}

describe('what the journal keeps of an answer', () => {
  it('keeps form, codes, ids, amounts and statuses, and no text', () => {
    const { body } = redacted({
      status: 'success',
      code: 'PAYMENT_INITIATED',
      message: `Hello ${NAME}`,
      request_id: '6f2c1d5e-8a55-4c7b-9d0e-2b1f7a3c4d5e',
      data: {
        reference: 'nc1',
        amount: '1.00',
        fee: 0.02,
        currency: 'TZS',
        status: 'pending',
        customer_name: NAME,
        customer_phone: PHONE,
        merchant_id: 7,
        provider_reference: 'SBX1',
        metadata: null,
      },
      meta: [],
    });
    expect(body).toEqual({
      status: 'success',
      code: 'PAYMENT_INITIATED',
      message: '…',
      request_id: '6f2c1d5e-8a55-4c7b-9d0e-2b1f7a3c4d5e',
      data: {
        reference: 'nc1',
        amount: '1.00',
        fee: 0.02,
        currency: 'TZS',
        status: 'pending',
        customer_name: '…',
        customer_phone: '…',
        merchant_id: 0,
        provider_reference: expect.stringMatching(/^like [\da-f]{4}$/) as string,
        metadata: null,
      },
      meta: [],
    });
  });

  it('keeps no person wherever a gateway writes one', () => {
    const fields = ['status', 'code', 'request_id', 'reference', 'currency', 'amount', 'balance', 'errors'];
    const person = (value: unknown) => Object.fromEntries(fields.map((field) => [field, value]));
    for (const value of [
      NAME,
      'Amani',
      PHONE,
      Number(PHONE),
      `${PHONE}.00`,
      [PHONE],
      { [PHONE]: NAME, [NAME]: PHONE },
    ]) {
      const text = JSON.stringify(redacted({ ...person(value), data: [person(value)] }));
      expect(text).not.toMatch(/Amani|Juma|255712345678/);
    }
  });

  it('keeps names of headers, and of their values the seconds of Retry-After alone', () => {
    expect(redacted('<p>', 503, { 'x-phone': PHONE, 'retry-after': '7' })).toEqual({
      status: 503,
      headers: ['retry-after', 'x-phone'],
      retryAfter: 7,
    });
  });
});
