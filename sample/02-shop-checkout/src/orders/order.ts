/**
 * - `placed`: written down, nothing was asked yet.
 * - `asking`: the gateway has not answered yet.
 * - `waiting`: the customer has the request on the phone.
 * - `unknown`: the answer was lost. The customer may have been asked, so this is no failure.
 * - `stale`: nothing was heard for too long; a person looks into it. No failure either.
 * - `review`: a webhook says something else than what was asked for; a person decides.
 * - `failed`: no money was taken, and none will be: the customer may try again.
 * - `paid`: for good.
 */
export type OrderState = 'placed' | 'asking' | 'waiting' | 'unknown' | 'stale' | 'review' | 'failed' | 'paid';

/** Why an order failed: how its payment ended, or why nothing was asked. */
export type FailureReason = 'failed' | 'cancelled' | 'expired' | 'refused' | 'unavailable';

export interface Order {
  /** Also the reference of its first payment. Not to be guessed: it opens the order's page. */
  readonly number: string;
  readonly product: string;
  /** TZS, two decimals, from the catalogue. */
  readonly amount: string;
  readonly customer_name: string;
  readonly phone: string;
  readonly email: string;
  readonly state: OrderState;
  readonly reason: FailureReason | null;
  /** Rises with every change. */
  readonly version: number;
}

/** What the order's page is told. Whoever has its address sees this: no name, no whole phone number. */
export interface OrderView extends Pick<
  Order,
  'number' | 'product' | 'amount' | 'state' | 'reason' | 'version'
> {
  /** The last three digits. */
  readonly phoneEnding: string;
}

export function orderView({ number, product, amount, state, reason, version, phone }: Order): OrderView {
  return { number, product, amount, state, reason, version, phoneEnding: phone.slice(-3) };
}

/** Whether money may be asked for: never while it may still arrive. */
export function mayPay({ state }: Pick<Order, 'state'>): boolean {
  return state === 'placed' || state === 'failed';
}
