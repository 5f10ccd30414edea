import { hash } from 'node:crypto';
import { type PaymentEventName } from '../../common/events.js';
import { timestamp } from '../core/collection.js';
import { type IdSource } from '../core/id-source.js';

/** A webhook's payload with a made-up payment in it. */
interface TriggeredPayload {
  readonly event: PaymentEventName;
  readonly created_at: string;
  readonly data: { readonly reference: string } & Readonly<Record<string, unknown>>;
}

/** The payload of an event that no payment caused (specification, "Events"). */
export function triggeredPayload(
  event: PaymentEventName,
  now: number,
  ids: IdSource,
  overrides: { readonly reference?: string } = {},
): TriggeredPayload {
  const { reference = `triggered-${ids.token(8)}` } = overrides;
  const data = {
    reference,
    amount: '1000.00',
    currency: 'TZS',
    status: event.slice('payment.'.length),
    customer_name: 'Asha Juma',
    customer_email: 'asha@example.com',
    customer_phone: '255700000000',
    channel: 'NET_ONE',
    // The same for a reference that is triggered again: another one would be another charge.
    provider_reference: `SBX${hash('sha256', JSON.stringify(reference)).slice(0, 12)}`,
    metadata: null,
  };
  return { event, created_at: timestamp(now), data: { ...data, ...overrides } };
}
