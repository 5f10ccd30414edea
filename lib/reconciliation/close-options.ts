import { type Statement } from './statement/statement-row.js';

/**
 * Whose day.
 *
 * @publicApi
 */
export interface ReconciliationOfAccount {
  /** The name of the merchant account. @default 'default' */
  readonly account?: string;
}

/**
 * Who does something.
 *
 * @publicApi
 */
export interface ReconciliationActor extends ReconciliationOfAccount {
  /** The application's own id of the person or the process, 1 to 255 characters. It is kept. */
  readonly by: string;
}

/**
 * Which day is closed, and by what.
 *
 * @publicApi
 */
export interface CloseOptions extends ReconciliationActor {
  /** `YYYY-MM-DD`: a day that is over. Each close begins with what the one before left, so days are closed in their order. */
  readonly day: string;
  /** The zone in which the day begins and ends: always the same one. @default that of the policy */
  readonly timeZone?: string;
  /** What the gateway says. Without it the balance alone is compared. */
  readonly statement?: Statement;
  /**
   * The references are right, though the amounts say otherwise: a person has looked. Else such a statement is refused.
   *
   * @default false
   */
  readonly allowNoMatch?: boolean;
}
