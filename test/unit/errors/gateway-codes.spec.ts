import { expect, it } from 'vitest';
import { GATEWAY_CODES, gatewayCodeInfo } from '../../../lib/errors/gateway-codes.js';

it.each([
  ['UNAUTHORIZED', 'unauthorized'],
  ['INSUFFICIENT_PERMISSIONS', 'unauthorized'],
  ['INVALID_REQUEST', 'refused'],
  ['DUPLICATE_REQUEST', 'duplicate-request'],
  ['INVALID_BANK_CODE', 'refused'],
  ['ACCOUNT_NOT_FOUND', 'refused'],
  ['INVALID_CHANNEL', 'refused'],
  ['INVALID_BANK', 'refused'],
  ['INVALID_ACCOUNT', 'refused'],
  ['ACCOUNT_NAME_MISMATCH', 'refused'],
  ['INVALID_NETWORK', 'refused'],
  ['INVALID_PHONE', 'refused'],
  ['INSUFFICIENT_BALANCE', 'refused'],
  ['DUPLICATE_REFERENCE', 'duplicate-reference'],
  ['PROVIDER_ERROR', 'provider-error'],
])('the code %s means %s', (code, effect) => {
  expect(gatewayCodeInfo(code)).toMatchObject({ effect });
});

it('no code is listed beside these fifteen', () => {
  expect(Object.keys(GATEWAY_CODES)).toHaveLength(15);
});

it.each([undefined, '', 'invalid_phone', 'OTHER', 'toString', '__proto__'])(
  'the code %j means nothing',
  (code) => {
    expect(gatewayCodeInfo(code)).toBeUndefined();
  },
);
