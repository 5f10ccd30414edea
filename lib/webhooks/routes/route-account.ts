import { WEBHOOK_ROUTE, type WebhookRouteMetadata } from '../metadata-keys.js';

/** The account whose webhooks a `@PaymentsWebhook` method receives; undefined for any other method. */
export function routeAccount(method: object): string | undefined {
  return (Reflect.getMetadata(WEBHOOK_ROUTE, method) as WebhookRouteMetadata | undefined)?.account;
}
