import { MetadataScanner } from '@nestjs/core';

/** On a route's method: the account whose webhooks it receives. A fixed string, the same in every copy. */
export const WEBHOOK_ROUTE = 'nestjs-payments:webhook-route';

/** On a method that receives webhooks: its `DeclaredRoute`, by which it is known again when Nest registers it. */
export const DECLARED_ROUTE = 'nestjs-payments:declared-route';

/** On a handler method: what it listens to. */
export const ON_PAYMENT = 'nestjs-payments:on-payment';

/** What a webhook route says about itself. */
export interface WebhookRouteMetadata {
  readonly account: string;
}

/** One `@OnPayment` on a method. */
export interface OnPaymentMetadata {
  readonly event: string;
  readonly account: string;
  /** Under which name the inbox remembers the method; undefined: by class and method. */
  readonly id?: string | undefined;
}

/** A method of a class, by the name under which Nest calls it. */
export interface ClassMethod {
  readonly name: string;
  readonly method: object;
}

/** The methods of a prototype, inherited ones included; accessors are not touched. */
export function methodsOf(prototype: unknown): readonly ClassMethod[] {
  if (typeof prototype !== 'object' || prototype === null) return [];
  return new MetadataScanner()
    .getAllMethodNames(prototype)
    .map((name) => ({ name, method: Reflect.get(prototype, name) as object }));
}

/** The account whose webhooks a `@PaymentsWebhook` method receives; undefined for any other method. */
export function routeAccount(method: object): string | undefined {
  return (Reflect.getMetadata(WEBHOOK_ROUTE, method) as WebhookRouteMetadata | undefined)?.account;
}
