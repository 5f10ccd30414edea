/**
 * - `asking`: the gateway has not answered yet.
 * - `awaiting-customer`: the customer has the request on the phone.
 * - `awaiting-outcome`: the answer was lost, or proves nothing. The gateway may have asked the customer, so this is
 *   not a failure.
 * - `refused`: the gateway refused at once and for good.
 * - `in-review`: another amount was paid, or money came after a failure.
 * - the rest: outcomes from the webhook.
 */
export type OrderStatus =
  | 'asking'
  | 'awaiting-customer'
  | 'awaiting-outcome'
  | 'refused'
  | 'paid'
  | 'in-review'
  | 'failed'
  | 'cancelled'
  | 'expired';

export interface Order {
  /** Unique for every payment. The webhook repeats it. */
  readonly reference: string;
  readonly cakes: number;
  readonly amount: string;
  readonly status: OrderStatus;
}
