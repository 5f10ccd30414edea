import { randomUUID } from 'node:crypto';
import { type PaymentEventData, type PaymentEventName, type PaymentWebhookEvent } from '../common/events.js';

/**
 * A complete event with invented data and, unless given, a unique reference.
 *
 * @param name Event name; `status` follows it.
 * @param data Fields to replace or to add, by wire name.
 *
 * @example
 * ```ts
 * paymentEvent('payment.success', { reference: order.id, amount: '1180.50' })
 * ```
 *
 * @publicApi
 */
export function paymentEvent(
  name: PaymentEventName | (string & {}),
  data: Partial<PaymentEventData> & Readonly<Record<string, unknown>> = {},
): PaymentWebhookEvent {
  const { reference = `order-${randomUUID()}` } = data;
  return {
    event: name,
    created_at: new Date().toISOString(),
    data: {
      reference,
      amount: '1000.00',
      currency: 'TZS',
      status: name.replace(/^payment\./, ''),
      customer_name: 'Asha Mushi',
      customer_email: 'asha@example.com',
      customer_phone: '255700000001',
      channel: 'NETWORK_1',
      // Always the same for a reference: another value would mean another charge of the customer.
      provider_reference: `provider-${reference}`,
      metadata: null,
      ...data,
    },
  };
}
