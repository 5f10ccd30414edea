import { hash } from 'node:crypto';
import { type PaymentWebhookEvent } from './events.js';

/**
 * SHA-256 (hex) of the provider's transaction reference in the webhook of a success; undefined where it names none. Another
 * reference may be another charge of the customer. Where no money moved there is nothing to compare.
 */
export function providerReferenceOf({ event, data }: PaymentWebhookEvent): string | undefined {
  if (event !== 'payment.success') return undefined;
  const name = transactionName(data.provider_reference);
  return name && hash('sha256', name);
}

/** A provider reference as text; undefined where there is none. */
export function transactionName(given: unknown): string | undefined {
  const text = typeof given === 'string' || typeof given === 'number' ? String(given).trim() : '';
  return text === '' ? undefined : text;
}
