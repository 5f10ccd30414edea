/**
 * `waiting`: for the customer, or for the outcome of a call whose answer was lost.
 * `in review`: another amount was paid, or money came after a failure.
 */
export type FeeState = 'waiting' | 'paid' | 'not paid' | 'in review';

/** A payment of one term's fee of one pupil. */
export interface Fee {
  /** Of the payment. Made of pupil and term, and of a number: only what has ended unpaid is followed by the next one. */
  readonly reference: string;
  /** The number in the school's register: names are not unique. */
  readonly pupil: string;
  readonly term: string;
  readonly amount: string;
  readonly state: FeeState;
}

/** What everybody with the reference sees. */
export type FeeView = Pick<Fee, 'reference' | 'amount' | 'state'>;

export function feeView({ reference, amount, state }: Fee): FeeView {
  return { reference, amount, state };
}
