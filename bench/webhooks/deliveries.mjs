import { createHmac } from 'node:crypto';

export const SECRET = 'bench-secret-of-more-than-sixteen-bytes';
export const PATH = '/webhooks/payments';
const BYTES = 1_024;

function eventOf(reference, note) {
  return JSON.stringify({
    event: 'payment.success',
    created_at: '2026-01-01T00:00:00.000000Z',
    data: {
      reference,
      amount: '1180.50',
      currency: 'TZS',
      status: 'success',
      customer_name: 'Asha Juma',
      customer_email: 'asha@example.com',
      customer_phone: '255712345678',
      channel: 'provider-a',
      provider_reference: 'PA-1',
      metadata: { note },
    },
  });
}

/** The same event as Stripe would frame it. */
function stripeEventOf(reference, note) {
  return JSON.stringify({
    id: reference,
    object: 'event',
    type: 'payment_intent.succeeded',
    data: { object: { id: reference, object: 'payment_intent', amount: 118050, currency: 'tzs', note } },
  });
}

function padded(write, reference) {
  return write(reference, 'x'.repeat(BYTES - write(reference, '').length));
}

function sign(text) {
  return createHmac('sha256', SECRET).update(text).digest('hex');
}

/** A signed delivery of 1 kB in the form that a receiver expects: body and headers. */
export function delivery(form, reference, forged) {
  if (form === 'stripe') {
    const body = padded(stripeEventOf, reference);
    const timestamp = Math.floor(Date.now() / 1_000);
    const signature = sign(`${timestamp}.${forged ? `${body} ` : body}`);
    return { body, headers: { 'stripe-signature': `t=${timestamp},v1=${signature}` } };
  }
  const body = padded(eventOf, reference);
  return { body, headers: { 'x-webhook-signature': sign(forged ? `${body} ` : body) } };
}
