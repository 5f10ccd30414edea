/** A placed order with the buyer's data. */
export interface PlacedOrder {
  /** Unique for every payment. The webhook repeats it. */
  readonly reference: string;
  readonly seats: number;
  readonly amount: string;
  readonly email: string;
  /** A hash of all that the page sent: one that is sent again sends the same. */
  readonly request: string;
}

/**
 * The request for money, as the web process knows it:
 * - `asking`: the gateway has not answered yet.
 * - `awaiting-customer`: the customer has the request on the phone.
 * - `awaiting-outcome`: the answer was lost, or proves nothing. The gateway may have asked the customer, so this is
 *   not a failure.
 * - `refused`: the gateway refused at once and for good.
 */
export type RequestState = 'asking' | 'awaiting-customer' | 'awaiting-outcome' | 'refused';

/**
 * The outcome, as the workers know it from the webhook or the journal. `in-review`: another amount was paid, or money
 * came after a failure.
 */
export type Outcome = 'paid' | 'in-review' | 'failed' | 'cancelled' | 'expired';

export interface Order extends PlacedOrder {
  readonly status: RequestState | Outcome;
}

/** What the web process answers, without the buyer's data: anybody with the reference sees it. */
export type OrderView = Omit<Order, 'email' | 'request'>;

export function orderView({ reference, seats, amount, status }: Order): OrderView {
  return { reference, seats, amount, status };
}
