/** `waiting`: for the customer, or for the outcome of a call whose answer was lost. */
export type FeeState = 'waiting' | 'paid' | 'not paid';

/** One term's fee of one pupil. */
export interface Fee {
  /** The payment's reference; a fee that was not paid is asked for again under a new one. */
  readonly reference: string;
  readonly pupil: string;
  readonly amount: string;
  readonly state: FeeState;
}
