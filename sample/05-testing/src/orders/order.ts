/**
 * - `asking`: the gateway has not answered yet.
 * - `awaiting-customer`: the customer has the request on the phone.
 * - `awaiting-outcome`: the answer was lost. The customer may have been asked, so this is no failure.
 * - `refused`: the gateway said no at once.
 * - the rest: the webhook said so.
 */
export type OrderStatus =
  | 'asking'
  | 'awaiting-customer'
  | 'awaiting-outcome'
  | 'refused'
  | 'paid'
  | 'failed'
  | 'cancelled'
  | 'expired';

export interface Order {
  /** Unique for every payment, and what the webhook comes back with. */
  readonly reference: string;
  readonly cakes: number;
  readonly amount: string;
  readonly status: OrderStatus;
}
