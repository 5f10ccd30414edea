/**
 * A bank that payouts can go to (specification, "Bank entry").
 *
 * @publicApi
 */
export interface Bank {
  readonly id: number;
  /** Full name. */
  readonly name: string;
  /** What `bank_code` of a payout or a lookup says. */
  readonly code: string;
  /** Fields that the specification does not know are kept. */
  readonly [field: string]: unknown;
}
