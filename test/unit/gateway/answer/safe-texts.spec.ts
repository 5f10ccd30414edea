import { describe, expect, it } from 'vitest';
import { type GatewayCall } from '../../../../lib/gateway/gateway-call.js';
import { safeTexts, safeTokens, sensitiveTexts } from '../../../../lib/gateway/answer/safe-texts.js';

const callWith = (body: object | undefined): GatewayCall<object> =>
  ({ ...(body && { body }) }) as GatewayCall<object>;

const textsOf = (body: object | undefined): string[] => sensitiveTexts(callWith(body));

describe('what a request says about people', () => {
  it.each([
    ['a phone number', { phone: '255712345678' }, ['255712345678']],
    ['an address', { customer_email: 'asha@example.com' }, ['asha@example.com']],
    ['an account', { account_number: '0150', bank_code: 'CRDB' }, ['0150']],
    [
      'every text of its metadata',
      { metadata: { a: 'x', b: ['y', { c: 'z' }], d: true, e: null, f: undefined } },
      ['x', 'y', 'z'],
    ],
    ['every number of its metadata', { metadata: { nida: 71234, more: [0.5] } }, ['71234', '0.5']],
    [
      'a name of its metadata, unless it is one of code',
      { metadata: { 'Asha Mushi': 'x', order_id: 'y', 'a.b-c': { Élise: 'z' } } },
      ['Asha Mushi', 'x', 'y', 'Élise', 'z'],
    ],
    ['a field that nobody knows', { note: 'for Asha' }, ['for Asha']],
  ])('is %s', (_, body, texts) => {
    expect(textsOf(body)).toEqual(texts);
  });

  it.each(['customer_name', 'recipient_name', 'account_name'])('is %s, and each part of it', (field) => {
    expect(textsOf({ [field]: 'Mushi, Asha J.' })).toEqual(
      expect.arrayContaining(['Mushi, Asha J.', 'Mushi', 'Asha', 'J']),
    );
    expect(textsOf({ [field]: "Ng'wana-Ali J." })).toEqual(
      expect.arrayContaining(["Ng'wana-Ali J.", "Ng'wana-Ali", 'Ng', 'wana', 'Ali', 'J']),
    );
  });

  it('is nothing of the order, and nothing if there is no body', () => {
    const harmless = {
      reference: 'order-1',
      currency: 'TZS',
      channel: 'ussd',
      network: 'N',
      bank_code: 'B',
      amount: '5',
    };
    expect(textsOf(harmless)).toEqual([]);
    expect(textsOf(undefined)).toEqual([]);
  });
});

describe('code and request id of an answer', () => {
  const UUID = '7c9e6679-7425-40de-944b-e07fc1f90ae7';
  const call = callWith({
    phone: '255712345678',
    customer_name: 'Invalid, Payment Limits Initiated Account Success',
  });
  const kept = (requestId: string): string | undefined =>
    safeTokens({ requestId }, call, new Set()).requestId;

  it('are left out if the answer has none', () => {
    expect(safeTokens({}, call, new Set())).toStrictEqual({});
  });

  it.each([
    ['X', 'X'],
    ['a.b:c-d_1', 'a.b:c-d_1'],
    ['x'.repeat(64), 'x'.repeat(64)],
    ['x'.repeat(65), undefined],
    ['', undefined],
    ['two words', undefined],
    ['word!', undefined],
    ['!word', undefined],
  ])('are kept if they are single tokens: %j', (token, safe) => {
    const expected = safe === undefined ? {} : { code: safe, requestId: safe };
    expect(safeTokens({ code: token, requestId: token }, call, new Set())).toStrictEqual(expected);
  });

  it.each([
    ['INVALID_PHONE', 'INVALID_PHONE'],
    ['PAYMENT_INITIATED', 'PAYMENT_INITIATED'],
    ['DISBURSEMENT_INITIATED', 'DISBURSEMENT_INITIATED'],
    ['ACCOUNT_VERIFIED', 'ACCOUNT_VERIFIED'],
    ['SUCCESS', 'SUCCESS'],
    ['LIMITS_REACHED', 'LIMITS_REACHED'],
    ['INVALID_PIN', '[redacted]_PIN'],
    ['PAYMENT_DONE', '[redacted]_DONE'],
    ['MORE_LIMITS_REACHED', 'MORE_[redacted]_REACHED'],
  ])('lose what the request says about people, unless the code is a known one: %s', (code, safe) => {
    expect(safeTokens({ code }, call, new Set(['LIMITS_REACHED']))).toStrictEqual({ code: safe });
  });

  it.each([
    ['E_1001_22', 'E_1001_22'],
    ['req_2026_07_01', 'req_2026_07_01'],
    ['req.2026.07.01:12.30', 'req.2026.07.01:12.30'],
    ['1.000.000', '1.000.000'],
    ['req_0712345678', 'req_[redacted]'],
    ['req_0712-345-678', 'req_[redacted]'],
    ['req_12345_67', 'req_12345_67'],
    ['req_123456_7', 'req_[redacted]_7'],
    ['sk_live_abc', '[redacted]'],
  ])('lose long numbers, but no parts of a code or a date: %s', (token, safe) => {
    const tokens = safeTokens({ code: token, requestId: token }, call, new Set());
    expect(tokens).toStrictEqual({ code: safe, requestId: safe });
  });

  it('are kept as they are only if the whole of them is a UUID', () => {
    expect(kept(UUID)).toBe(UUID);
    expect(kept(UUID.toUpperCase())).toBe(UUID.toUpperCase());
    expect(kept(`255712345678:${UUID}`)).not.toContain('255712345678');
    expect(kept(`${UUID}:255712345678`)).not.toContain('255712345678');
  });
});

describe('the texts of an error answer', () => {
  const call = callWith({ account_number: '0150', account_name: 'Asha Mushi' });

  it('lose what the request says about people, and what looks like a secret', () => {
    const errors = {
      account_number: ['0150 is closed', 'ask asha@example.com'],
      'Asha Mushi': ['is unknown'],
    };
    expect(safeTexts({ message: 'Mushi has closed it', errors }, call)).toStrictEqual({
      message: '[redacted] has closed it',
      errors: {
        account_number: ['[redacted] is closed', 'ask [redacted]'],
        '[redacted]': ['is unknown'],
      },
    });
  });

  it('lose a word of a name with and without what is within it', () => {
    const texts = { message: 'Ng&#039;wanakilala, NG WANAKILALA', errors: {} };
    expect(safeTexts(texts, callWith({ customer_name: "Asha Ng'wanakilala" }))).toStrictEqual({
      message: '[redacted], NG [redacted]',
      errors: {},
    });
  });

  it('lose what would break a log line or steer a terminal', () => {
    const errors = { 'remarks\n': ['bad\r\n[Nest] 1 ERROR paid twice\u001b[2K'] };
    expect(safeTexts({ message: 'a\u2028b\u0000c&#10;d\u202ee', errors }, call)).toStrictEqual({
      message: 'a b c de',
      errors: { 'remarks ': ['bad [Nest] 1 ERROR paid twice [2K'] },
    });
  });

  it('are a hundred at most, of a thousand characters each, and lose a value wherever they end', () => {
    const canary = 'Ng&#039;wanakilala';
    const many = Object.fromEntries(
      Array.from({ length: 50_000 }, (_, index) => [`field_${index}`, ['no', canary]]),
    );
    const metadata = Object.fromEntries(
      Array.from({ length: 1_000 }, (_, index) => [`key_${index}`, `value ${index}`]),
    );
    const long = `${'to '.repeat(330)}${canary} `.repeat(2_000);
    const paid = callWith({ customer_name: "Asha Ng'wanakilala", metadata });
    const { message, errors } = safeTexts({ message: long, errors: many }, paid);
    expect(Object.entries(errors)).toHaveLength(50);
    expect(errors['field_49']).toEqual(['no', '[redacted]']);
    expect(message).toHaveLength(1_000);
    expect(message).toMatch(/ to to \[redacted\]$/);
    expect(safeTexts({ errors: { [long]: [long] } }, paid).errors).toEqual({
      [String(message)]: [message],
    });
  });

  it('have no message if the answer has none', () => {
    expect(safeTexts({ errors: {} }, call)).toStrictEqual({ errors: {} });
    expect(safeTexts({ message: '', errors: {} }, call)).toStrictEqual({ message: '', errors: {} });
  });
});

describe('what cannot be made safe', () => {
  const broken = callWith({
    get phone(): string {
      throw new RangeError('255712345678');
    },
  });

  it('is left out, and the answer counts', () => {
    const tokens = { code: 'PAYMENT_DONE', requestId: 'req_1' };
    expect(safeTokens(tokens, broken, new Set())).toStrictEqual({});
    expect(safeTexts({ message: 'no', errors: { phone: ['no'] } }, broken)).toStrictEqual({ errors: {} });
  });
});
