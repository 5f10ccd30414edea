import { type ExceptionKind } from '../exceptions/close-exception.js';

/**
 * The wallet's balance as it was read (specification, "Wallet balance").
 *
 * @publicApi
 */
export interface BalanceReading {
  /** Before it was asked for. */
  readonly askedAt: Date;
  /** After the answer had come. */
  readonly answeredAt: Date;
  /** Two-decimal string. */
  readonly balance: string;
  /** Two-decimal string. */
  readonly available: string;
  /** Two-decimal string. */
  readonly locked: string;
}

/**
 * Payments of one direction.
 *
 * @publicApi
 */
export interface CloseSum {
  /** How many. */
  readonly count: number;
  /** Two-decimal string. */
  readonly amount: string;
  /** Two-decimal string: the fees that are known. */
  readonly fees: string;
}

/**
 * What the balance should have changed by, from the opening reading to the closing one. Always:
 * `opening + in - out - fees + other + underWay + difference = closing`.
 *
 * @publicApi
 */
export interface BalanceEquation {
  /** The reading at the end of the day that was closed before. */
  readonly opening: BalanceReading;
  /** The reading at the end of this day. */
  readonly closing: BalanceReading;
  /** Collections that certainly came in between. */
  readonly in: string;
  /** Payouts that certainly went out between. */
  readonly out: string;
  /** The fees of both. */
  readonly fees: string;
  /** What the statement says of money that is no payment; negative if it left. */
  readonly other: string;
  /** What payments that are unknown or under way may have changed, at least. */
  readonly least: string;
  /** What payments that are unknown or under way may have changed, at most. */
  readonly most: string;
  /** What they did change, as far as it is in this interval. */
  readonly underWay: string;
  /** What nothing explains; `0.00` if the closing balance is as expected. */
  readonly difference: string;
}

/**
 * A day in figures.
 *
 * @publicApi
 */
export interface CloseSummary {
  /** `YYYY-MM-DD`. */
  readonly day: string;
  /** The zone in which the day begins and ends, for example `Africa/Dar_es_Salaam`. */
  readonly timeZone: string;
  /** The beginning of the day. */
  readonly from: Date;
  /** The end of the day: the cut-off. */
  readonly to: Date;
  /** When it was closed. */
  readonly closedAt: Date;
  /** Who closed it. */
  readonly by: string;
  /** Payments that were made on the day and came in. */
  readonly collections: CloseSum;
  /** Payments that were made on the day and went out, or were accepted. */
  readonly payouts: CloseSum;
  /** Payments that were open at the end of the day, of this day and those before. */
  readonly open: CloseSum;
  /**
   * Payments without a row that are too young to be exceptions. Their rows are looked for in later statements, if these have the
   * time of a later day.
   */
  readonly expected: number;
  /**
   * Whether an earlier close ended with another reading of the balance. Then what moved since is in the equation of this day, or in
   * that of the days that end with the same reading.
   */
  readonly hasOpening: boolean;
  /** Undefined at the first close, if no balance was read since the day before, and if the journal cannot read an amount. */
  readonly balance: BalanceEquation | undefined;
  /** What the statement says; undefined without one. */
  readonly statement: StatementSummary | undefined;
  /** Exceptions that are open, by kind; kinds without one are absent. */
  readonly exceptions: Readonly<Partial<Record<ExceptionKind, number>>>;
}

/**
 * A statement in figures.
 *
 * @publicApi
 */
export interface StatementSummary {
  /** Its name. */
  readonly name: string;
  /** SHA-256 (hex) that names its rows, in any order and without the recipients. */
  readonly digest: string;
  /** How many rows it has. */
  readonly rows: number;
  /** Rows of other days, which nothing was done with. */
  readonly otherDays: number;
  /** Rows that belong to a payment of the journal. */
  readonly matched: number;
  /** Collections that came in. */
  readonly collections: CloseSum;
  /** Payouts that went out. */
  readonly payouts: CloseSum;
  /** What is no payment, and fees of their own that name no payment, less the fees beside both: the sum. */
  readonly other: string;
  /**
   * Fees of their own with the reference of a payment, or one that is made from it: the sum, negative if the gateway took them.
   * They may be the fees that their payments have already, so no other sum has them. Absent if it is 0.
   */
  readonly doubtfulFees?: string;
}
