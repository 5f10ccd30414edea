import Stripe from 'stripe-current';

/** stripe-node, pointed at the same gateway; what it sends is a form. */
export function start({ baseUrl }) {
  const { protocol, hostname, port } = new URL(baseUrl);
  const stripe = new Stripe('sk_test_bench', { protocol: protocol.slice(0, -1), host: hostname, port });
  return async (reference) => {
    const answer = await stripe.paymentIntents.create(
      {
        amount: 118050,
        currency: 'tzs',
        receipt_email: 'asha@example.com',
        description: reference,
        metadata: { phone: '255712345678', customer_name: 'Asha Juma', basket: 17 },
      },
      { idempotencyKey: reference },
    );
    if (answer.status !== 'success') throw new Error('stripe-node got another answer');
  };
}
