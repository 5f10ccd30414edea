/**
 * - `prepared`: the account's holder is known, nothing is sent yet.
 * - `sending`: the gateway has not answered yet.
 * - `accepted`: the gateway works on it.
 * - `awaiting-outcome`: the answer was lost, or proves nothing. The money may be on its way, so never send it under
 *   another reference.
 * - `refused`: the gateway refused, and no money moved.
 */
export type PayoutStatus = 'prepared' | 'sending' | 'accepted' | 'awaiting-outcome' | 'refused';

export interface Payout {
  readonly reference: string;
  readonly bank_code: string;
  readonly account_number: string;
  /** The holder's name at the bank. */
  readonly account_name: string;
  readonly amount: string;
  /** The amount for people: `TSh 25,000`. */
  readonly amountText: string;
  readonly status: PayoutStatus;
}
