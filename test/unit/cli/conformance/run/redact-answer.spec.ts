import { describe, expect, it } from 'vitest';
import { redactAnswer } from '../../../../../lib/cli/conformance/run/redact-answer.js';

const PHONE = '255712345678';
const NAME = 'Amani Juma';
const KEPT = { run: 'run', references: ['nc1', 'nc2'], inputs: [PHONE, NAME, '7770001', '1'] };

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

  it('keeps no number, no input and no foreign spelling inside a code, an id or the name of a field', () => {
    for (const value of [
      { code: `USER_${PHONE}` },
      { code: 'AMANI_JUMA' },
      { code: 'ACCOUNT_7770001' },
      { request_id: `mm-${PHONE}-1` },
      { request_id: 'mm-amani-juma-1' },
      { request_id: 'mm-777-0001-a' },
      { errors: { Amani_Juma: ['x'], amani_juma: ['x'], amanijuma: ['x'], [`of_${PHONE}`]: ['x'] } },
      { errors: { Asha_Mushi: ['x'], 'Asha.Mushi': ['x'] } },
      { amount: 7_770_001, data: { fee: '7770001.00', balance: Number(PHONE) } },
    ]) {
      const text = JSON.stringify(redacted(value, 422, { [`x-${PHONE}`]: '', 'x-amani-juma': '' }));
      expect(text).not.toMatch(/amani|asha|255712345678|7770001|777-0001/i);
    }
  });

  it('keeps the channel of a lookup, and nothing else that a gateway writes there', () => {
    const { body } = redacted({ data: { channel: 'MOBILE_MONEY', type: 'BANK' } });
    expect(body?.['data']).toEqual({ channel: 'MOBILE_MONEY', type: 'BANK' });
    for (const text of ['NET_ONE', 'Asha', 'BANK of Asha', 'BANK\nAsha', 'bank']) {
      const other = redacted({ data: { channel: text, type: text } });
      expect(other.body?.['data']).toEqual({ channel: '…', type: '…' });
    }
  });

  it('keeps that a balance is an amount, however long it is', () => {
    const { body } = redacted({
      data: { balance: '150000000.00', locked_balance: 2_000_000_000, amount: 1e9 },
    });
    expect(body?.['data']).toEqual({ balance: '0.00', locked_balance: 0, amount: '…' });
  });

  it('takes numbers of the provider for references, and nothing for what is empty', () => {
    const likenessOf = (provider_reference: unknown) =>
      redacted({ provider_reference }).body?.['provider_reference'];
    expect(likenessOf(1)).toMatch(/^like /);
    expect(likenessOf(1)).not.toBe(likenessOf(2));
    expect(likenessOf(1)).toBe(likenessOf('1'));
    expect(likenessOf('')).toBe('…');
    expect(likenessOf(' ')).toBe('…');
    expect(likenessOf(null)).toBeNull();
  });

  it('keeps names of headers, and of their values the seconds of Retry-After alone', () => {
    expect(redacted('<p>', 503, { 'x-phone': PHONE, 'retry-after': '7' })).toEqual({
      status: 503,
      headers: ['retry-after', 'x-phone'],
      retryAfter: 7,
    });
  });
});
