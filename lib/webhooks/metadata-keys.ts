/** On a route's method: the account whose webhooks it receives. A fixed string, the same in every copy. */
export const WEBHOOK_ROUTE = 'nestjs-payments:webhook-route';

/** On a method whose class has the guard: the account whose webhooks it verifies. */
export const GUARDED_BY_CLASS = 'nestjs-payments:guarded-by-class';

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
}
