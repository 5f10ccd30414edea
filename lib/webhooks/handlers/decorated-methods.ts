import { MetadataScanner } from '@nestjs/core';

/**
 * On a route's method: the account whose webhooks it receives. The string is the same in every copy of the
 * package.
 */
export const WEBHOOK_ROUTE = 'nestjs-payments:webhook-route';

/** On a method that receives webhooks: the method itself, to recognize it when Nest registers it. */
export const DECLARED_ROUTE = 'nestjs-payments:declared-route';

/** On a handler method: its `@OnPayment` decorators. */
export const ON_PAYMENT = 'nestjs-payments:on-payment';

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

/** Whose webhooks a `@PaymentsWebhook` method receives; undefined for any other method. */
export function webhookRoute(method: object): WebhookRouteMetadata | undefined {
  return Reflect.getMetadata(WEBHOOK_ROUTE, method) as WebhookRouteMetadata | undefined;
}
