import {
  decidePayment,
  decidePayout,
  findPayment,
  findPayout,
  type PaymentAction,
  type Decision,
  type PayoutAction,
} from '../../core/decisions.js';
import { type SandboxPaymentDetail, type SandboxPayoutDetail } from '../resources.js';
import { paymentListing, payoutListing } from '../listings.js';
import { listed } from '../lists.js';
import { sandboxPayment, sandboxPayout } from '../record-mappers.js';
import { type ControlCall } from '../control-operations.js';
import { optionalText } from './fields.js';
import { type SandboxParts } from '../sandbox-parts.js';

/** Payments and payouts. */
export function paymentHandlers({ gateway, deliverer, timeline }: SandboxParts) {
  const payment =
    (action: PaymentAction) =>
    async ({ subject: reference, body }: ControlCall) =>
      sandboxPayment(await decidePayment(gateway, decision(reference, body), action));
  const payout =
    (action: PayoutAction) =>
    ({ subject: reference, body }: ControlCall) =>
      sandboxPayout(decidePayout(gateway, decision(reference, body), action));
  const entriesOf = (reference: string, merchant: string) =>
    timeline.of(reference, merchant).flatMap(({ entries }) => entries);

  return {
    listPayments: ({ query }: ControlCall) =>
      listed(paymentListing(gateway.merchants, deliverer.list()), query),
    readPayment: ({ subject: reference, query }: ControlCall): SandboxPaymentDetail => {
      const [{ name }, found] = findPayment(gateway, { reference, merchant: query.get('merchant') });
      return { ...sandboxPayment(found), timeline: entriesOf(reference, name) };
    },
    approvePayment: payment('approve'),
    declinePayment: payment('decline'),
    cancelPayment: payment('cancel'),
    expirePayment: payment('expire'),
    listPayouts: ({ query }: ControlCall) => listed(payoutListing(gateway.merchants), query),
    readPayout: ({ subject: reference, query }: ControlCall): SandboxPayoutDetail => {
      const [{ name }, found] = findPayout(gateway, { reference, merchant: query.get('merchant') });
      return { ...sandboxPayout(found), timeline: entriesOf(reference, name) };
    },
    payPayout: payout('pay'),
    failPayout: payout('fail'),
    cancelPayout: payout('cancel'),
  };
}

function decision(reference: string, body: ControlCall['body']): Decision {
  return { reference, merchant: optionalText(body, 'merchant'), reason: optionalText(body, 'reason') };
}
