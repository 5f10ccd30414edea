const DAY_MS = 86_400_000;
/** East Africa Time is UTC+3 all year. */
const AHEAD_OF_UTC_MS = 10_800_000;

/**
 * What a payment takes from its day, and the cap of the day.
 *
 * @publicApi
 */
export interface DailyShare {
  /** The amount of the payment, in cents. */
  readonly cents: number;
  /** The largest sum of a day, in cents; absent: no bound. */
  readonly maxCents?: number | undefined;
  /** The largest number of payments of a day; absent: no bound. */
  readonly maxCount?: number | undefined;
}

/**
 * What a store says of a payment that it wrote and counted.
 *
 * @publicApi
 */
export interface CountedPayment {
  /** The day that counts it, as `dailyCapDay` counts it. */
  readonly countedOn?: number | undefined;
}

/**
 * The payment was not written: its day has no room for it.
 *
 * @publicApi
 */
export interface DailyCapReached {
  /** The day that has no room, as `dailyCapDay` counts it. */
  readonly reachedOn: number;
}

/**
 * The day of a time for daily caps: days since 1970 that begin at midnight in Dar es Salaam.
 *
 * @param time Milliseconds since 1970, by the store's clock.
 *
 * @publicApi
 */
export function dailyCapDay(time: number): number {
  return Math.floor((time + AHEAD_OF_UTC_MS) / DAY_MS);
}

/** When the day after this one begins, in milliseconds since 1970. */
export function endOfDay(day: number): number {
  return (day + 1) * DAY_MS - AHEAD_OF_UTC_MS;
}

/** The day of a time with its fraction, as an expression: PostgreSQL and Lua divide alike. */
export function dayExpression(time: string): string {
  return `((${time} + ${AHEAD_OF_UTC_MS}) / ${DAY_MS})`;
}

/** What a store counts of a scope. */
export interface DailyCounter {
  readonly day: number;
  readonly count: number;
  readonly cents: number;
}
