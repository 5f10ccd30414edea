import { describe, expect, it } from 'vitest';
import { type GatewayCall } from '../../../../lib/gateway/gateway-call.js';
import { safeTokens, sensitiveTexts } from '../../../../lib/gateway/answer/safe-texts.js';

const textsOf = (body: object | undefined): string[] =>
  sensitiveTexts({ ...(body && { body }) } as GatewayCall<object>);

describe('what a request says about people', () => {
  it.each([
    ['a phone number', { phone: '255712345678' }, ['255712345678']],
    ['an address', { customer_email: 'asha@example.com' }, ['asha@example.com']],
    ['an account', { account_number: '0150', bank_code: 'CRDB' }, ['0150']],
    [
      'every text of its metadata',
      { metadata: { a: 'x', b: ['y', { c: 'z' }], d: 1, e: null } },
      ['x', 'y', 'z'],
    ],
    ['a field that nobody knows', { note: 'for Asha' }, ['for Asha']],
  ])('is %s', (_, body, texts) => {
    expect(textsOf(body)).toEqual(texts);
  });

  it.each(['customer_name', 'recipient_name', 'account_name'])('is %s, and each part of it', (field) => {
    expect(textsOf({ [field]: 'Mushi, Asha J.' })).toEqual(
      expect.arrayContaining(['Mushi, Asha J.', 'Mushi', 'Asha', 'J']),
    );
  });

  it('is nothing of the order, and nothing where there is no body', () => {
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

it('a request id is kept as it is only if the whole of it is a UUID', () => {
  const uuid = '7c9e6679-7425-40de-944b-e07fc1f90ae7';
  const call = { body: { phone: '255712345678' } } as unknown as GatewayCall<object>;
  const kept = (requestId: string): string | undefined =>
    safeTokens({ requestId }, call, new Set()).requestId;
  expect(kept(uuid)).toBe(uuid);
  expect(kept(`255712345678:${uuid}`)).not.toContain('255712345678');
  expect(kept(`${uuid}:255712345678`)).not.toContain('255712345678');
});
