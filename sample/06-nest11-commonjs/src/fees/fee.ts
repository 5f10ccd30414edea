/** `waiting`: for the customer, or for the outcome of a call whose answer was lost. */
export type FeeState = 'waiting' | 'paid' | 'not paid';

/** One term's fee of one pupil. */
export interface Fee {
  /** The payment's reference. A new request for an unpaid fee has a new one. */
  readonly reference: string;
  readonly pupil: string;
  readonly amount: string;
  readonly state: FeeState;
}
