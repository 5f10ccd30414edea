import { HttpService } from '@nestjs/axios';
import { SELF_DECLARED_DEPS_METADATA } from '@nestjs/common/constants.js';
import { expect, it } from 'vitest';
import { getPaymentsToken, InjectPayments } from '../../../lib/common/tokens.js';

class WalletService {
  readonly name = 'wallet';
}

it('a service of the default account is injected by its class', () => {
  expect(getPaymentsToken(WalletService)).toBe(WalletService);
  expect(getPaymentsToken(WalletService, 'default')).toBe(WalletService);
});

it('a service of another account has a token that is the same in every copy of the package', () => {
  expect(getPaymentsToken(WalletService, 'payouts')).toBe(
    Symbol.for('nestjs-payments:payouts:WalletService'),
  );
});

it('the HTTP service of the default account is not the one of the application', () => {
  expect(getPaymentsToken(HttpService)).toBe(Symbol.for('nestjs-payments:default:HttpService'));
});

it.each([
  ['the default account', undefined, WalletService],
  ['another account', 'payouts', Symbol.for('nestjs-payments:payouts:WalletService')],
])('the decorator injects the service of %s', (_, account, token) => {
  class Shop {
    readonly name = 'shop';
  }
  InjectPayments(WalletService, account)(Shop, undefined, 0);
  expect(Reflect.getMetadata(SELF_DECLARED_DEPS_METADATA, Shop)).toEqual([{ index: 0, param: token }]);
});
