/**
 * The merchant's wallet (specification, "Wallet balance").
 *
 * @publicApi
 */
export interface WalletBalance {
  /** Total: two-decimal string, for example `"1500000.00"`. */
  readonly balance: string;
  /** What can be spent now: two-decimal string. */
  readonly available_balance: string;
  /** What is reserved or for the time being unavailable: two-decimal string. */
  readonly locked_balance: string;
  /** `TZS`. */
  readonly currency: string;
  /** Fields that the specification does not know are kept. */
  readonly [field: string]: unknown;
}
