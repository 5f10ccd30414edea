import { type PaymentFamily, type PaymentOutcome } from '../common/vocabulary.js';
import { type CloseSummary } from './close/close-summary.js';

/**
 * A day was closed.
 *
 * @publicApi
 */
export interface ReconciliationClosed {
  /** Name of the merchant account. */
  readonly account: string;
  /** The day in figures. */
  readonly summary: CloseSummary;
}

/**
 * A payment was settled by a row of a statement.
 *
 * @publicApi
 */
export interface ReconciliationSettled {
  /** Name of the merchant account. */
  readonly account: string;
  /** Money in, or money out. */
  readonly family: PaymentFamily;
  /** The merchant's reference. */
  readonly reference: string;
  /** How the payment ended. */
  readonly outcome: PaymentOutcome;
  /** Who applied the proposal. */
  readonly by: string;
}

/**
 * What the application's `@nestjs/event-emitter` emits of reconciliation, by event name. A listener that fails is logged and
 * changes nothing. No event is emitted again, neither after a crash nor on another replica: what must not get lost reads
 * `Reconciliation.exceptions()` and `PaymentsJournal.get()`.
 *
 * @example
 * ```ts
 * @OnEvent('reconciliation.closed')
 * closed({ summary }: ReconciliationEvents['reconciliation.closed']) {
 *   console.log(summary.day, summary.exceptions);
 * }
 * ```
 *
 * @publicApi
 */
export interface ReconciliationEvents {
  /** Emitted once, by the process that closed the day. */
  readonly 'reconciliation.closed': ReconciliationClosed;
  /** Emitted once, by the process that settled the payment. */
  readonly 'reconciliation.settled': ReconciliationSettled;
}
