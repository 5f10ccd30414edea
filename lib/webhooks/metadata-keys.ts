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
