/** A payment that succeeded, and whose reference a later one took. */
export interface ReplacedPayment {
  readonly merchant: string;
  readonly reference: string;
}
