import { PaymentsWebhookGuard } from './payments-webhook.guard.js';

/** Nest's metadata key for the guards of a class or method. */
const GUARDS = '__guards__';

/** The account of the webhook guard of a class or method; undefined if it has none. */
export function guardedAccount(target: object): string | undefined {
  const guards = (Reflect.getMetadata(GUARDS, target) ?? []) as readonly unknown[];
  return guards.find(isWebhookGuard)?.account;
}

function isWebhookGuard(guard: unknown): guard is typeof PaymentsWebhookGuard {
  return (
    guard === PaymentsWebhookGuard ||
    (typeof guard === 'function' && guard.prototype instanceof PaymentsWebhookGuard)
  );
}
