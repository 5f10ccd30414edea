/**
 * `waiting`: for the customer, or for the outcome of a call whose answer was lost.
 * `in review`: another amount was paid.
 */
export type FeeState = 'waiting' | 'paid' | 'not paid' | 'in review';

/** One term's fee of one pupil. */
export interface Fee {
  /** The payment's reference. A new request for an unpaid fee has a new one. */
  readonly reference: string;
  readonly pupil: string;
  readonly amount: string;
  readonly state: FeeState;
}
