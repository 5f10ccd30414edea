import { HttpService } from '@nestjs/axios';
import { type Abstract, Inject, type InjectionToken, type Type } from '@nestjs/common';
import { DEFAULT_ACCOUNT } from './vocabulary.js';

/** What tokens call a service: a bundler that minifies gives classes other names, and none to those with decorators. */
const NAMES = new Map<unknown, string>([[HttpService, 'HttpService']]);

/** Gives a service its name in the tokens of named accounts. */
export function NamedInTokens(name: string): ClassDecorator {
  return (type) => {
    NAMES.set(type, name);
  };
}

/**
 * Token of one of the package's providers for a named account. For the default account the class itself is the
 * token; only `HttpService` is not, because the application may have its own.
 *
 * Tokens are `Symbol.for(…)`, so that they are the same in every copy of the package.
 *
 * @param type A service class of the package, or `HttpService`.
 * @param account Name given to `PaymentsModule.forRoot({ name })`. @default 'default'
 *
 * @publicApi
 */
export function getPaymentsToken<T>(
  type: Type<T> | Abstract<T>,
  account: string = DEFAULT_ACCOUNT,
): InjectionToken<T> {
  if (account === DEFAULT_ACCOUNT && type !== HttpService) return type;
  return Symbol.for(`nestjs-payments:${account}:${NAMES.get(type) ?? type.name}`);
}

/**
 * Injects a service of a named account, or the package's own `HttpService`. Its calls go straight to the
 * connections until somebody reads `axiosRef`, and through axios with its interceptors from then on.
 *
 * @example
 * ```ts
 * constructor(
 *   @InjectPayments(DisbursementsService, 'payouts') private readonly payouts: DisbursementsService,
 *   @InjectPayments(HttpService) http: HttpService,
 * ) {}
 * ```
 *
 * @publicApi
 */
export function InjectPayments(
  type: Type | Abstract<unknown>,
  account: string = DEFAULT_ACCOUNT,
): ParameterDecorator & PropertyDecorator {
  return Inject(getPaymentsToken(type, account));
}
