import { HttpService } from '@nestjs/axios';
import { SELF_DECLARED_DEPS_METADATA } from '@nestjs/common/constants.js';
import { expect, it, onTestFinished } from 'vitest';
import { getPaymentsToken, InjectPayments } from '../../../lib/common/tokens.js';
import {
  BanksService,
  CollectionsService,
  DisbursementsService,
  NameLookupService,
  PaymentsInbox,
  PaymentsJournal,
  WalletService as OwnWalletService,
} from '../../../lib/index.js';

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
  ['BanksService', BanksService],
  ['CollectionsService', CollectionsService],
  ['DisbursementsService', DisbursementsService],
  ['HttpService', HttpService],
  ['NameLookupService', NameLookupService],
  ['PaymentsInbox', PaymentsInbox],
  ['PaymentsJournal', PaymentsJournal],
  ['WalletService', OwnWalletService],
])('the token of %s has its name, even if a bundler has taken that of the class', (name, type) => {
  Object.defineProperty(type, 'name', { value: '' });
  onTestFinished(() => void Object.defineProperty(type, 'name', { value: name }));
  expect(getPaymentsToken<unknown>(type, 'payouts')).toBe(Symbol.for(`nestjs-payments:payouts:${name}`));
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
