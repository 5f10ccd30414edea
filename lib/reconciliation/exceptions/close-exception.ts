import { type PaymentFamily, type PaymentOutcome } from '../../common/vocabulary.js';
import { type StatementRowKind } from '../statement/statement-row.js';

/**
 * Why our records and the gateway's differ.
 *
 * - `missing-here`: the statement has a payment that the journal does not have.
 * - `missing-there`: the journal has a payment that succeeded, and the statement does not.
 * - `amount`, `fee`: both have it, with another amount or fee.
 * - `duplicate`: the statement has it more than once.
 * - `status`: one side says that money moved, the other one that none did; or two rows of the statements do, the row is
 *   older than the last attempt, money of the payment came back, or it may have, in a row that lacks its minus.
 * - `unproven`: the gateway accepted it, and no statement says that it ended.
 * - `proven`: its outcome was open here, and the statement says that money moved.
 * - `late`: it moved much later than it was made.
 * - `unknown`: its outcome is open, and nothing is known of it.
 * - `balance`: the balance changed by what no payment explains.
 *
 * @publicApi
 */
export type ExceptionKind =
  | 'missing-here'
  | 'missing-there'
  | 'amount'
  | 'fee'
  | 'duplicate'
  | 'status'
  | 'unproven'
  | 'proven'
  | 'late'
  | 'unknown'
  | 'balance';

/** All kinds, the gravest first. */
export const EXCEPTION_KINDS: readonly ExceptionKind[] = [
  'balance',
  'duplicate',
  'missing-here',
  'status',
  'amount',
  'missing-there',
  'proven',
  'unknown',
  'unproven',
  'fee',
  'late',
];

/**
 * - `open`: nobody has looked at it.
 * - `explained`: a person said why it is as it is.
 * - `settled`: it has ended: a payment was settled, or a later statement proved it.
 *
 * @publicApi
 */
export type ExceptionState = 'open' | 'explained' | 'settled';

/**
 * What the journal says of a payment.
 *
 * @publicApi
 */
export interface OwnSide {
  /** The state in the journal, and for a settled payment its outcome, for example `success`. */
  readonly status: string;
  /** Two-decimal string; empty if the journal cannot read it. */
  readonly amount: string;
  /** Two-decimal string; undefined if the gateway has not said it. */
  readonly fee: string | undefined;
  /** When the payment was written down. */
  readonly createdAt: Date;
}

/**
 * What the statement says of a payment.
 *
 * @publicApi
 */
export interface StatementSide {
  /** The name of the statement. */
  readonly statement: string;
  /** The place of the row. */
  readonly row: number;
  /** What moved. */
  readonly kind: StatementRowKind;
  /** Two-decimal string. */
  readonly amount: string;
  /** Two-decimal string; undefined if the row names none. */
  readonly fee: string | undefined;
  /** When the money moved. */
  readonly at: Date;
  /** The row says that no money moved. */
  readonly isFailed: boolean;
}

/**
 * What to do about a payment, with the row that proves it.
 *
 * @publicApi
 */
export interface CloseProposal {
  /** The name of the merchant account. */
  readonly account: string;
  /** The day of the close that proposes it, `YYYY-MM-DD`. */
  readonly day: string;
  /** The name of the statement with the row. */
  readonly statement: string;
  /** The exception that ends with it; undefined for a payout that was accepted, and that the statement shows as paid. */
  readonly exception: string | undefined;
  /** Money in, or money out. */
  readonly family: PaymentFamily;
  /** The merchant's reference. */
  readonly reference: string;
  /** How the payment ended. */
  readonly outcome: PaymentOutcome;
  /** The row of the statement. */
  readonly row: number;
}

/**
 * Why an exception is as it is.
 *
 * @publicApi
 */
export interface ExceptionNote {
  /** Who said it. */
  readonly by: string;
  /** In that person's words. */
  readonly text: string;
  /** When it was said. */
  readonly at: Date;
}

/**
 * A difference that somebody has to look at.
 *
 * @publicApi
 */
export interface CloseException {
  /** Names it in `explain()`, and stays the same when the day is closed again. */
  readonly id: string;
  /** Why both sides differ. */
  readonly kind: ExceptionKind;
  /** What became of it. */
  readonly state: ExceptionState;
  /** The day of the close that found it, `YYYY-MM-DD`. */
  readonly day: string;
  /** For people, a whole sentence. */
  readonly reason: string;
  /** Money in, or money out; undefined for `balance`. */
  readonly family: PaymentFamily | undefined;
  /** The merchant's reference; undefined if there is none. */
  readonly reference: string | undefined;
  /** The journal's side; undefined if it has none. */
  readonly own: OwnSide | undefined;
  /** The statement's side; undefined if it has none. */
  readonly theirs: StatementSide | undefined;
  /** Milliseconds from the payment, or from the row, to the end of the day that was closed last. */
  readonly ageMs: number;
  /** What to do; undefined if a person has to find out, or has explained it. */
  readonly proposal: CloseProposal | undefined;
  /** Which payments would explain a gap of the balance; a hint for people, and no proof. */
  readonly hint: string | undefined;
  /** What a person said of it. */
  readonly note: ExceptionNote | undefined;
}

/** Whether an exception of this kind ends when what its row proves is applied. */
export function takesProof(kind: ExceptionKind): boolean {
  return kind === 'proven' || kind === 'status' || kind === 'late';
}
