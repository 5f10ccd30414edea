/** A placed order, as its buyer wrote it. */
export interface PlacedOrder {
  /** Unique for every payment, and what the webhook comes back with. */
  readonly reference: string;
  readonly seats: number;
  readonly amount: string;
  readonly email: string;
}

/**
 * What the web process knows of the request for money:
 * - `asking`: the gateway has not answered yet.
 * - `awaiting-customer`: the customer has the request on the phone.
 * - `awaiting-outcome`: the answer was lost. The customer may have been asked, so this is no failure.
 * - `refused`: the gateway said no at once.
 */
export type RequestState = 'asking' | 'awaiting-customer' | 'awaiting-outcome' | 'refused';

/** What the workers know from the webhook. */
export type Outcome = 'paid' | 'failed' | 'cancelled' | 'expired';

export interface Order extends PlacedOrder {
  readonly status: RequestState | Outcome;
}
