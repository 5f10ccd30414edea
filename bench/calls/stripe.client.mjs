import Stripe from 'stripe-current';

/** stripe-node, pointed at the same gateway; what it sends is a form. */
export function start({ baseUrl, mix = 'collections' }) {
  const { protocol, hostname, port } = new URL(baseUrl);
  const stripe = new Stripe('sk_test_bench', { protocol: protocol.slice(0, -1), host: hostname, port });
  const money = { amount: 118050, currency: 'tzs' };
  const ask =
    mix === 'payouts'
      ? (reference, options) =>
          stripe.payouts.create(
            {
              ...money,
              destination: 'ba_0150000000999',
              description: reference,
              statement_descriptor: 'Supplier',
              metadata: { bank_code: 'BSB', account_name: 'Asha Juma', basket: 17 },
            },
            options,
          )
      : (reference, options) =>
          stripe.paymentIntents.create(
            {
              ...money,
              receipt_email: 'asha@example.com',
              description: reference,
              metadata: { phone: '255712345678', customer_name: 'Asha Juma', basket: 17 },
            },
            options,
          );
  return async (reference) => {
    const answer = await ask(reference, { idempotencyKey: reference });
    if (answer.status !== 'success') throw new Error('stripe-node got another answer');
  };
}
