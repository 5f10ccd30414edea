/**
 * - `placed`: stored, nothing was asked yet.
 * - `asking`: the gateway has not answered yet.
 * - `waiting`: the customer has the request on the phone.
 * - `unknown`: the answer was lost. The gateway may have asked the customer, so this is not a failure.
 * - `stale`: no news for too long; a person investigates. Not a failure either.
 * - `review`: a webhook differs from the request; a person decides.
 * - `failed`: no money moved, and none will: the customer may try again.
 * - `paid`: final.
 */
export type OrderState = 'placed' | 'asking' | 'waiting' | 'unknown' | 'stale' | 'review' | 'failed' | 'paid';

/** Why an order failed: the outcome of its payment, or why nothing was asked. */
export type FailureReason = 'failed' | 'cancelled' | 'expired' | 'refused' | 'unavailable';

export interface Order {
  /**
   * Also the reference of its first payment. It opens the order's page, so nobody must be able to guess it.
   */
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

/** The data of the order's page, without name and whole phone number: anybody with its address sees it. */
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

/** Whether the shop may ask for money: never while money may still arrive. */
export function mayPay({ state }: Pick<Order, 'state'>): boolean {
  return state === 'placed' || state === 'failed';
}
