import { sandboxPayment } from '../../core/collection.js';
import { sandboxPayout } from '../../core/payout.js';
import { type ControlParts } from '../control-parts.js';
import { type SandboxPaymentDetail, type SandboxPayoutDetail } from '../control-resources.js';
import { type PaymentAction, type PayoutAction } from '../control-types.js';
import { decidePayment, decidePayout, findPayment, findPayout } from '../decisions.js';
import { listed } from '../lists.js';
import { type ControlCall } from '../operations.js';
import { optionalText } from './fields.js';

/** Payments and payouts. */
export function paymentHandlers({ gateway, view, stories }: ControlParts) {
  const payment =
    (action: PaymentAction) =>
    async ({ subject: reference, body }: ControlCall) =>
      sandboxPayment(
        await decidePayment(gateway, { reference, merchant: optionalText(body, 'merchant') }, action),
      );
  const payout =
    (action: PayoutAction) =>
    ({ subject: reference, body }: ControlCall) =>
      sandboxPayout(decidePayout(gateway, { reference, merchant: optionalText(body, 'merchant') }, action));
  const timeline = (reference: string, merchant: string) =>
    stories.of(reference, merchant).flatMap(({ lines }) => lines);

  return {
    listPayments: ({ query }: ControlCall) => listed(view.payments(), query),
    readPayment: ({ subject: reference, query }: ControlCall): SandboxPaymentDetail => {
      const [{ name }, found] = findPayment(gateway, { reference, merchant: query.get('merchant') });
      return { ...sandboxPayment(found), timeline: timeline(reference, name) };
    },
    approvePayment: payment('approve'),
    declinePayment: payment('decline'),
    cancelPayment: payment('cancel'),
    expirePayment: payment('expire'),
    listPayouts: ({ query }: ControlCall) => listed(view.payouts(), query),
    readPayout: ({ subject: reference, query }: ControlCall): SandboxPayoutDetail => {
      const [{ name }, found] = findPayout(gateway, { reference, merchant: query.get('merchant') });
      return { ...sandboxPayout(found), timeline: timeline(reference, name) };
    },
    payPayout: payout('pay'),
    failPayout: payout('fail'),
    cancelPayout: payout('cancel'),
  };
}
