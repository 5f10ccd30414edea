import { WebhookRefusalFilter } from '../raw-body/webhook-refusal.js';

/** Nest's metadata key for the exception filters of a class or method. */
const FILTERS = '__exceptionFilters__';

/**
 * Moves the package's filter behind the other filters of a route's method. Nest asks the last one first, and a decorator
 * above `@PaymentsWebhook` comes after its filter: one that catches everything would answer 200 to a failed delivery.
 */
export function putRefusalFilterLast(method: object): void {
  const filters = (Reflect.getMetadata(FILTERS, method) ?? []) as readonly unknown[];
  const isOwn = (filter: unknown): boolean => filter instanceof WebhookRefusalFilter;
  const others = filters.filter((filter) => !isOwn(filter));
  Reflect.defineMetadata(FILTERS, [...others, ...filters.filter(isOwn)], method);
}
