import { formatTzs } from 'nestjs-payments';

/**
 * - `placed`: stored, nothing was asked yet.
 * - `asking`: the gateway has not answered yet.
 * - `waiting`: the customer has the request on the phone.
 * - `unknown`: the answer was lost. The gateway may have asked the customer, so this is not a failure.
 * - `stale`: no news for too long; a person investigates. Not a failure either.
 * - `review`: a webhook differs from the request; a person decides.
 * - `failed`: the customer may try again, and is not charged twice: no money moved, or the open reference is used again.
 * - `paid`: final.
 */
export type OrderState = 'placed' | 'asking' | 'waiting' | 'unknown' | 'stale' | 'review' | 'failed' | 'paid';

/**
 * Why an order failed: the outcome of its payment, or why nothing was asked.
 *
 * - `refused`: the gateway refused this request, most likely for its phone number.
 * - `limited`: the gateway gets too many requests; `ask_again_at` says when to try again.
 * - `unavailable`: the gateway could not be reached, or took no requests.
 */
export type FailureReason = 'failed' | 'cancelled' | 'expired' | 'refused' | 'limited' | 'unavailable';

/** Why nothing was asked, and how long to wait before the next try. */
export interface Setback {
  readonly reason?: FailureReason | null;
  readonly waitMs?: number;
}

export interface Order {
  /**
   * Also the reference of its first payment. It opens the order's page, so nobody must be able to guess it.
   */
  readonly number: string;
  /** Its id. The page has its name in both languages. */
  readonly product: string;
  /** TZS, two decimals, from the catalogue. */
  readonly amount: string;
  readonly customer_name: string;
  readonly phone: string;
  readonly email: string;
  readonly state: OrderState;
  readonly reason: FailureReason | null;
  /** Until then the gateway asks to be left alone. */
  readonly ask_again_at: Date | null;
  /** Rises with every change. */
  readonly version: number;
}

/** The data of the order's page, without name and whole phone number: anyone with its address sees it. */
export interface OrderView extends Pick<
  Order,
  'number' | 'product' | 'amount' | 'state' | 'reason' | 'version'
> {
  /** The amount for people: `TSh 15,000`. */
  readonly amountText: string;
  /** The last three digits. */
  readonly phoneEnding: string;
  /** How long to wait before trying again, in milliseconds. Relative, because clocks differ. */
  readonly waitMs: number;
}

export function orderView(order: Order, now = Date.now()): OrderView {
  const { number, product, amount, state, reason, version, phone, ask_again_at: askAgainAt } = order;
  const texts = { amountText: formatTzs(amount), phoneEnding: phone.slice(-3) };
  const waitMs = Math.max(0, (askAgainAt?.getTime() ?? 0) - now);
  return { number, product, amount, state, reason, version, ...texts, waitMs };
}

/** Whether the shop may ask for money: never while money may still arrive. */
export function mayPay({ state }: Pick<Order, 'state'>): boolean {
  return state === 'placed' || state === 'failed';
}

/**
 * Whether another phone may pay a failed order. Not after a request that the gateway did not clearly refuse: the
 * next one repeats it under the same idempotency key, which belongs to that phone.
 */
export function mayChangePhone({ reason }: Pick<Order, 'reason'>): boolean {
  return reason !== 'limited' && reason !== 'unavailable';
}
