/** The payment that every client asks for. */
export function paymentOf(reference) {
  return {
    amount: '1180.50',
    reference,
    phone: '255712345678',
    customer_name: 'Asha Juma',
    customer_email: 'asha@example.com',
    metadata: { basket: 17 },
  };
}

/** The payout that every client asks for. */
export function payoutOf(reference) {
  return {
    amount: '1180.50',
    reference,
    bank_code: 'BSB',
    account_number: '0150000000999',
    account_name: 'Asha Juma',
    remarks: 'Supplier',
    metadata: { basket: 17 },
  };
}

/** What the gateway is sent, beside the `Idempotency-Key`. */
export const HEADERS = {
  'X-API-KEY': 'pk_test_bench',
  'X-API-SECRET': 'sk_test_bench',
  Accept: 'application/json',
  'Content-Type': 'application/json',
};

export const PATH = '/api/v1/payments/mobile-money';

/** The same payment as it goes over the wire. */
export function wireBody(reference) {
  return wireText(paymentOf(reference));
}

/** What clients may be told to ask for, as it goes over the wire. */
export const MIXES = {
  collections: { path: PATH, wireBody },
  payouts: {
    path: '/api/v1/disbursements/bank',
    wireBody: (reference) => wireText(payoutOf(reference)),
  },
};

function wireText(payment) {
  return JSON.stringify({ ...payment, amount: 1180.5, currency: 'TZS' });
}

/** @throws Error where an answer is not the one that was asked for: what does not work need not be measured. */
export function checkAnswer(answer, reference) {
  if (answer.status !== 'success' || answer.data.reference !== reference) {
    throw new Error(`The answer to ${reference} is another one: ${JSON.stringify(answer).slice(0, 200)}`);
  }
}
