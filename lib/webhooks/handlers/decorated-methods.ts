import { MetadataScanner } from '@nestjs/core';

/**
 * On a route's method: the account whose webhooks it receives. The string is the same in every copy of the
 * package.
 */
export const WEBHOOK_ROUTE = 'nestjs-payments:webhook-route';

/** On a method that takes POST requests: the method itself, to recognize it when Nest registers it. */
export const DECLARED_ROUTE = 'nestjs-payments:declared-route';

/** On a handler method: its `@OnPayment` decorators. */
export const ON_PAYMENT = 'nestjs-payments:on-payment';

/** On a prototype: the same by the name of the method. A decorator above may replace the method that has them. */
export const ON_PAYMENT_METHODS = 'nestjs-payments:on-payment-methods';

export interface WebhookRouteMetadata {
  /** Undefined: that of the parameter `:account` of the route's path, or else the default one. */
  readonly account: string | undefined;
  /** The method that `@PaymentsWebhook` made. A decorator above it may have replaced it by another one. */
  readonly runs: { readonly name: string };
}

/** One `@OnPayment` on a method. */
export interface OnPaymentMetadata {
  readonly event: string;
  readonly account: string;
  /** The name under which the inbox remembers the method. @default class and method */
  readonly id?: string | undefined;
}

interface ClassMethod {
  readonly name: string;
  readonly method: object;
}

/** The methods of a prototype, inherited ones included, without accessors. */
export function methodsOf(prototype: unknown): readonly ClassMethod[] {
  if (typeof prototype !== 'object' || prototype === null) return [];
  return new MetadataScanner()
    .getAllMethodNames(prototype)
    .map((name) => ({ name, method: Reflect.get(prototype, name) as object }));
}

/** A method that runs for events. */
interface HandlerMethod {
  readonly name: string;
  /** Undefined if a decorator put a getter in its place. */
  readonly method: object | undefined;
  readonly triggers: readonly OnPaymentMetadata[];
}

/** The triggers that a method of a class has so far. */
export function triggersOf(prototype: object, name: string, method: object): readonly OnPaymentMetadata[] {
  return ownTriggers(method) ?? notedOn(prototype).get(name) ?? [];
}

/** Notes all triggers of a method, on the method and on its class. */
export function noteTriggers(
  prototype: object,
  name: string,
  method: object,
  triggers: readonly OnPaymentMetadata[],
): void {
  Reflect.defineMetadata(ON_PAYMENT, triggers, method);
  Reflect.defineMetadata(ON_PAYMENT_METHODS, new Map([...notedOn(prototype), [name, triggers]]), prototype);
}

/**
 * The `@OnPayment` methods of a prototype, inherited ones included. Whatever has the name of a decorated method is the
 * handler: a decorator above `@OnPayment`, or a spy, may have wrapped the method itself.
 */
export function handlerMethods(prototype: unknown): readonly HandlerMethod[] {
  const methods = new Map(methodsOf(prototype).map(({ name, method }) => [name, method]));
  const noted = notedInEffect(chainOf(prototype));
  return [...new Set([...methods.keys(), ...noted.keys()])].flatMap((name) => {
    const method = methods.get(name);
    const triggers = (method && ownTriggers(method)) ?? noted.get(name);
    return triggers ? [{ name, method, triggers }] : [];
  });
}

/** A method without `@OnPayment` that overrides one with it. */
interface OverridingMethod {
  readonly name: string;
  /** The prototype that has the method. */
  readonly owner: object;
  /** The prototype of the decorated one. */
  readonly base: object;
  readonly triggers: readonly OnPaymentMetadata[];
}

/** The methods that never run, because a decorator is not inherited by what overrides its method. So it is in all of Nest. */
export function overridingMethods(prototype: unknown): readonly OverridingMethod[] {
  const chain = chainOf(prototype);
  const seen = new Set(handlerMethods(prototype).map(({ name }) => name));
  return chain.flatMap((base) =>
    [...notedOn(base)].flatMap(([name, triggers]) => {
      const owner = ownerOf(chain, name);
      if (seen.has(name) || !owner) return [];
      seen.add(name);
      return [{ name, owner, base, triggers }];
    }),
  );
}

function ownTriggers(method: object): readonly OnPaymentMetadata[] | undefined {
  return Reflect.getMetadata(ON_PAYMENT, method) as readonly OnPaymentMetadata[] | undefined;
}

type NotedTriggers = ReadonlyMap<string, readonly OnPaymentMetadata[]>;

/** The methods that were decorated in this class itself. */
function notedOn(prototype: object): NotedTriggers {
  return (Reflect.getOwnMetadata(ON_PAYMENT_METHODS, prototype) ?? new Map()) as NotedTriggers;
}

/** Without methods that a subclass overrides. */
function notedInEffect(chain: readonly object[]): NotedTriggers {
  const inEffect = (one: object): [string, readonly OnPaymentMetadata[]][] =>
    [...notedOn(one)].filter(([name]) => ownerOf(chain, name) === one);
  return new Map(chain.flatMap(inEffect));
}

/** A prototype and those that it inherits from. */
function chainOf(prototype: unknown): readonly object[] {
  if (typeof prototype !== 'object' || prototype === null || prototype === Object.prototype) return [];
  return [prototype, ...chainOf(Reflect.getPrototypeOf(prototype))];
}

function ownerOf(chain: readonly object[], name: string): object | undefined {
  return chain.find((one) => Object.hasOwn(one, name));
}

/** Whose webhooks a `@PaymentsWebhook` method receives; undefined for any other method. */
export function webhookRoute(method: object): WebhookRouteMetadata | undefined {
  return Reflect.getMetadata(WEBHOOK_ROUTE, method) as WebhookRouteMetadata | undefined;
}
