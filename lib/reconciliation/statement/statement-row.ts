/**
 * What a row of a statement is.
 *
 * - `collection`: a customer paid; the wallet received `amount` less `fee`.
 * - `payout`: a payout arrived; the wallet paid `amount` and `fee`.
 * - `fee`: a fee of its own; `amount` is negative if the gateway took it. If it names a reference, it may be the fee that the
 *   payment has already, so nobody takes it for certain.
 * - `other`: money that is no payment, for example a top-up or a withdrawal; a negative `amount` left the wallet. If it names a
 *   payment of the other direction, it takes that payment back: the money came back, or was taken back.
 *
 * @publicApi
 */
export type StatementRowKind = 'collection' | 'payout' | 'fee' | 'other';

export const STATEMENT_ROW_KINDS = [
  'collection',
  'payout',
  'fee',
  'other',
] as const satisfies readonly StatementRowKind[];

/**
 * One row of the gateway's statement.
 *
 * @publicApi
 */
export interface StatementRow {
  /** Its place in the statement, as a person would look for it: the line of the file. */
  readonly row: number;
  /** What moved. */
  readonly kind: StatementRowKind;
  /** The merchant's reference; undefined if the row names none. */
  readonly reference: string | undefined;
  /** Two-decimal string; never negative for a collection and a payout. */
  readonly amount: string;
  /** Two-decimal string, never negative; undefined if the row names none. It is taken from money that is no payment, too. */
  readonly fee: string | undefined;
  /** When the money moved. */
  readonly at: Date;
  /** Phone or account number of the other side, digits and letters only; undefined if the row names none. */
  readonly recipient: string | undefined;
  /** The row says that no money moved: the payment failed. */
  readonly isFailed: boolean;
}

/**
 * A statement of the gateway: its rows as they come. Write your own for another format.
 *
 * @publicApi
 */
export interface Statement {
  /** For people, for example the name of the file. */
  readonly name: string;
  /**
   * The rows, read once, in any order.
   *
   * @throws PaymentsValidationError that says which row is wrong, and what to write.
   */
  rows(): AsyncIterable<StatementRow>;
  /**
   * Closes what the rows come from. `close()` calls it in the end, whether it has read the rows or not, and waits for it. If it
   * fails, that is logged, and changes nothing of what became of the day.
   */
  discard?(): void | Promise<void>;
}
