/** The texts of the order's `reason`. In none of these cases did money move. */
const REASONS = {
  failed: 'The payment did not go through.',
  cancelled: 'The payment was cancelled on the phone.',
  expired: 'The request on the phone has run out of time.',
  refused: 'The payment company did not take this request. Is the phone number right?',
  unavailable: 'The payment company could not be reached.',
};

const VERDICTS = {
  placed: ['wait', 'Not paid yet', () => 'Your order is written down.'],
  asking: ['wait', 'One moment', () => 'We are asking for the payment.'],
  waiting: [
    'wait',
    'Look at your phone',
    ({ phoneEnding }) =>
      `Approve the request on the phone that ends in ${phoneEnding}. This page follows by itself.`,
  ],
  unknown: [
    'wait',
    'We are finding out',
    () =>
      'The payment company did not answer clearly. If your phone asks, go ahead. Please do not order again: this page follows by itself.',
  ],
  stale: [
    'wait',
    'This takes longer than usual',
    () =>
      'We have not heard how your payment ended, and a person is looking into it. Please do not pay again.',
  ],
  review: [
    'wait',
    'We are checking your payment',
    () =>
      'Something about it differs from your order, and a person is looking into it. Please do not pay again.',
  ],
  failed: ['bad', 'Not paid', ({ reason }) => `${REASONS[reason]} Nothing was taken; you can try again.`],
  paid: ['good', 'Paid. Thank you!', () => 'We are packing your order.'],
};

/** The order's state for its customer: `[tone, headline, words]`. */
export function verdictOf(order) {
  const [tone, headline, words] = VERDICTS[order.state];
  return { tone, headline, words: words(order) };
}

/** Whether the shop may ask the customer for the money now. */
export const mayPay = ({ state }) => state === 'placed' || state === 'failed';
