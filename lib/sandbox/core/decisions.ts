import { type Collection } from './collection.js';
import { type Gateway } from './gateway.js';
import { type Merchant } from './merchant.js';
import { type Payout } from './payout.js';
import {
  canMoveCollection,
  canMoveDisbursement,
  type FinalCollectionState,
  type FinalDisbursementState,
} from './status-machine.js';
import { PaymentsSandboxError } from './sandbox.error.js';

/** A decision about a payment. */
export type PaymentAction = 'approve' | 'decline' | 'cancel' | 'expire';

/** A decision about a payout. */
export type PayoutAction = 'pay' | 'fail' | 'cancel';

const PAYMENT_OUTCOMES: Readonly<Record<PaymentAction, FinalCollectionState>> = {
  approve: 'success',
  decline: 'failed',
  cancel: 'cancelled',
  expire: 'expired',
};

const PAYOUT_OUTCOMES: Readonly<Record<PayoutAction, FinalDisbursementState>> = {
  pay: 'paid',
  fail: 'failed',
  cancel: 'cancelled',
};

/** Selects a payment or payout. */
export interface Selection {
  readonly reference: string;
  /** Undefined: the only merchant that has the reference. */
  readonly merchant?: string | undefined;
}

/**
 * Decides a payment as its customer or the provider would. Resolves when the webhook's first try has ended.
 *
 * @throws PaymentsSandboxError if the payment is unknown, is another customer's, or has ended.
 */
export async function decidePayment(
  gateway: Gateway,
  selection: Selection & { readonly phone?: string },
  action: PaymentAction,
): Promise<Collection> {
  const { reference, phone } = selection;
  const [merchant, payment] = findPayment(gateway, selection);
  if (phone !== undefined && payment.request.phone !== phone) {
    throw new PaymentsSandboxError(
      'SANDBOX_OTHER_CUSTOMER',
      `The payment ${reference} was asked of another phone number than this customer's.`,
      reference,
    );
  }
  const outcome = PAYMENT_OUTCOMES[action];
  if (!canMoveCollection(payment.status, outcome)) throw alreadyFinal('payment', reference, payment.status);
  await gateway.collections.settle(merchant, payment, outcome);
  return payment;
}

/**
 * Decides a payout as the provider would.
 *
 * @throws PaymentsSandboxError if the payout is unknown or has ended.
 */
export function decidePayout(gateway: Gateway, selection: Selection, action: PayoutAction): Payout {
  const { reference } = selection;
  const [merchant, payout] = findPayout(gateway, selection);
  const outcome = PAYOUT_OUTCOMES[action];
  if (!canMoveDisbursement(payout.status, outcome)) throw alreadyFinal('payout', reference, payout.status);
  gateway.payouts.settle(merchant, payout, outcome);
  return payout;
}

/** @throws PaymentsSandboxError if no merchant, or more than one, has the reference. */
export function findPayment(gateway: Gateway, selection: Selection): readonly [Merchant, Collection] {
  const find = ({ collections }: Merchant) => collections.get(selection.reference);
  return select('payment', gateway, selection, find);
}

/** @throws PaymentsSandboxError if no merchant, or more than one, has the reference. */
export function findPayout(gateway: Gateway, selection: Selection): readonly [Merchant, Payout] {
  return select('payout', gateway, selection, ({ payouts }) => payouts.get(selection.reference));
}

function select<Found>(
  what: string,
  gateway: Gateway,
  { reference, merchant: name }: Selection,
  find: (merchant: Merchant) => Found | undefined,
): readonly [Merchant, Found] {
  const candidates = gateway.merchants
    .filter((merchant) => name === undefined || merchant.name === name)
    .flatMap((merchant) => {
      const found = find(merchant);
      return found === undefined ? [] : [[merchant, found] as const];
    });
  const [first, ...others] = candidates;
  if (!first) {
    const whose = name === undefined ? '' : ` of the merchant ${name}`;
    throw new PaymentsSandboxError(
      'SANDBOX_NOT_FOUND',
      `There is no ${what} ${reference}${whose}.`,
      reference,
    );
  }
  if (others.length > 0) {
    const names = candidates.map(([merchant]) => merchant.name).join(', ');
    throw new PaymentsSandboxError(
      'SANDBOX_AMBIGUOUS',
      `Several merchants have a ${what} ${reference} (${names}): say which with \`merchant\`.`,
      reference,
    );
  }
  return first;
}

function alreadyFinal(what: string, reference: string, status: string): PaymentsSandboxError {
  return new PaymentsSandboxError(
    'SANDBOX_ALREADY_FINAL',
    `The ${what} ${reference} is ${status} already: a final state never changes.`,
    reference,
  );
}
