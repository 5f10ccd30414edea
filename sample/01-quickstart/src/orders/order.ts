export type PaymentMethod = 'mobile-money' | 'partner-wallet';

/**
 * - `asking`: the gateway has not answered yet.
 * - `awaiting-customer`: the customer has the request on the phone.
 * - `awaiting-outcome`: the answer was lost, or proves nothing. The gateway may have asked the customer, so this is
 *   not a failure.
 * - `paid`, `not-paid`: by the webhook or the journal, or the gateway refused at once and for good, or nobody was asked.
 * - `in-review`: another amount was paid, which a person has released, or which the journal could not compare.
 */
export type OrderStatus =
  'asking' | 'awaiting-customer' | 'awaiting-outcome' | 'paid' | 'not-paid' | 'in-review';

export interface Order {
  /** Unique for every payment. The webhook repeats it. */
  readonly reference: string;
  readonly product: string;
  readonly amount: string;
  /** The amount for people: `TSh 18,000`. */
  readonly amountText: string;
  readonly method: PaymentMethod;
  readonly status: OrderStatus;
  /** Why it is not paid: `failed`, `cancelled`, `expired`, `not-asked`, or the gateway's refusal. */
  readonly reason?: string;
  /** Written once, when the order is paid. */
  readonly receipt?: string;
}

export function isOpen({ status }: Order): boolean {
  return status === 'asking' || status === 'awaiting-customer' || status === 'awaiting-outcome';
}
