import { type PaymentFamily, type PaymentOutcome } from '../../common/vocabulary.js';

/** What a row proves of a payment. A close may hold a million of them, so what all of a list have in common is not in it. */
export interface ProvenRow {
  readonly family: PaymentFamily;
  readonly reference: string;
  /** How the payment ended. */
  readonly outcome: PaymentOutcome;
  /** The place of the row. */
  readonly row: number;
  /** When that was, as the row says. */
  readonly at: number;
  /** The attempt that the row is about; absent: the first one. */
  readonly attempt?: number | undefined;
  /** The day whose close read the row, if that was an earlier one. */
  readonly readOn?: string;
}

/** A later attempt than the first one, which nearly all are: a list does not name it. */
export function attemptIfLater(attempt: number): number | undefined {
  return attempt > 1 ? attempt : undefined;
}
