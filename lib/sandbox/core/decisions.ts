import { type Collection } from './collection.js';
import { type Gateway } from './gateway.js';
import { type Merchant } from './merchant.js';
import { type Payout } from './payout.js';
import { canMove, type FinalState } from './status-machine.js';
import { PaymentsSandboxError } from './sandbox.error.js';

const PAYMENT_OUTCOMES = {
  approve: 'success',
  decline: 'failed',
  cancel: 'cancelled',
  expire: 'expired',
} satisfies Record<string, FinalState<'collection'>>;

const PAYOUT_OUTCOMES = {
  pay: 'paid',
  fail: 'failed',
  cancel: 'cancelled',
} satisfies Record<string, FinalState<'disbursement'>>;

/** A decision about a payment. */
export type PaymentAction = keyof typeof PAYMENT_OUTCOMES;

/** A decision about a payout. */
export type PayoutAction = keyof typeof PAYOUT_OUTCOMES;

/** Selects a payment or payout. */
interface Selection {
  readonly reference: string;
  /** Undefined: the only merchant that has the reference. */
  readonly merchant?: string | undefined;
}

/** Who or what is decided, and why. */
export interface Decision extends Selection {
  /** In words, for the payment's record. The gateway's webhooks have no field for it. */
  readonly reason?: string | undefined;
}

/**
 * Decides a payment as its customer or the provider would. Resolves when the webhook's first try has ended.
 *
 * @throws PaymentsSandboxError if the payment is unknown, is another customer's, or has ended.
 */
export async function decidePayment(
  gateway: Gateway,
  selection: Decision & { readonly phone?: string },
  action: PaymentAction,
): Promise<Collection> {
  const { reference, phone, reason } = selection;
  const [merchant, payment] = findPayment(gateway, selection);
  if (phone !== undefined && payment.request.phone !== phone) {
    const message = `The payment ${reference} was asked of another phone number than this customer's.`;
    throw new PaymentsSandboxError('SANDBOX_OTHER_CUSTOMER', message, reference);
  }
  const outcome = PAYMENT_OUTCOMES[action];
  assertOpen('payment', reference, payment.status, outcome);
  await gateway.collections.settle(merchant, payment, outcome, reason);
  return payment;
}

/**
 * Decides a payout as the provider would.
 *
 * @throws PaymentsSandboxError if the payout is unknown or has ended.
 */
export function decidePayout(gateway: Gateway, selection: Decision, action: PayoutAction): Payout {
  const { reference, reason } = selection;
  const [merchant, payout] = findPayout(gateway, selection);
  const outcome = PAYOUT_OUTCOMES[action];
  assertOpen('payout', reference, payout.status, outcome);
  gateway.payouts.settle(merchant, payout, outcome, reason);
  return payout;
}

/** @throws PaymentsSandboxError if no merchant, or more than one, has the reference. */
export function findPayment(gateway: Gateway, selection: Selection): readonly [Merchant, Collection] {
  return select('payment', gateway, selection, ({ collections }) => collections);
}

/** @throws PaymentsSandboxError if no merchant, or more than one, has the reference. */
export function findPayout(gateway: Gateway, selection: Selection): readonly [Merchant, Payout] {
  return select('payout', gateway, selection, ({ payouts }) => payouts);
}

function select<Found>(
  what: string,
  gateway: Gateway,
  { reference, merchant: name }: Selection,
  entriesOf: (merchant: Merchant) => ReadonlyMap<string, Found>,
): readonly [Merchant, Found] {
  const candidates = gateway.merchants
    .filter((merchant) => name === undefined || merchant.name === name)
    .flatMap((merchant) => {
      const found = entriesOf(merchant).get(reference);
      return found === undefined ? [] : [[merchant, found] as const];
    });
  const [first, ...others] = candidates;
  if (!first) {
    const ofMerchant = name === undefined ? '' : ` of the merchant ${name}`;
    const message = `There is no ${what} ${reference}${ofMerchant}.`;
    throw new PaymentsSandboxError('SANDBOX_NOT_FOUND', message, reference);
  }
  if (others.length > 0) {
    const names = candidates.map(([merchant]) => merchant.name).join(', ');
    const message = `Several merchants have a ${what} ${reference} (${names}): say which with \`merchant\`.`;
    throw new PaymentsSandboxError('SANDBOX_AMBIGUOUS', message, reference);
  }
  return first;
}

function assertOpen(what: string, reference: string, ...[from, to]: Parameters<typeof canMove>): void {
  if (canMove(from, to)) return;
  const message = `The ${what} ${reference} is ${from} already: a final state never changes.`;
  throw new PaymentsSandboxError('SANDBOX_ALREADY_FINAL', message, reference);
}
