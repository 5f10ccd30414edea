import { type CloseSummary } from '../close/close-summary.js';
import { type CloseException } from '../exceptions/close-exception.js';

/**
 * A close as reports take it.
 *
 * @publicApi
 */
export interface CloseToReport {
  /** The day in figures. */
  readonly summary: CloseSummary;
  /** What somebody has to look at, in any order. */
  readonly exceptions: readonly CloseException[];
}
