import { type NameMatch } from './names/compare-names.js';
import { type BatchLine, type LineState } from '../storage/batch-store.js';
import { type LineProblem, resultOf } from './batch/line-result.js';
import { paymentReference } from './batch/payment-reference.js';
import { lineFrom, maskedRecipient } from './lines/payout-line.js';

/**
 * A line of a batch, with its recipient masked.
 *
 * @publicApi
 */
export interface PayoutBatchLine {
  /** 1 for the first line. */
  readonly number: number;
  /** What tells it apart within the batch. */
  readonly key: string;
  /** The reference of its payment: name of the batch, a dot, and the key. */
  readonly reference: string;
  /** The name that was loaded: personal data. */
  readonly name: string;
  /** The holder's name at the gateway: personal data; absent before the check. */
  readonly holder?: string;
  /** How the two names compare; absent before the check. */
  readonly match?: NameMatch;
  /** Bank code and the end of the account number, or the end of the phone. */
  readonly to: string;
  /** The bank's code, or `mobile money`. */
  readonly bank: string;
  /** Two-decimal string in TZS. */
  readonly amount: string;
  /** What the gateway charged for it: two-decimal string in TZS; absent before it was accepted. */
  readonly fee?: string;
  /** What became of it so far. */
  readonly state: LineState;
  /** Why it is, or was, blocked; empty without a reason. */
  readonly problems: readonly LineProblem[];
  /** More about the state, for people; may be empty. */
  readonly detail: string;
  /** When its state last changed. */
  readonly updatedAt: Date;
}

export function payoutBatchLine(batch: string, line: BatchLine): PayoutBatchLine {
  const { name, amount, recipient } = lineFrom(line.content);
  const { holder, match, problems = [], detail = '', fee } = resultOf(line.result);
  return {
    number: line.number,
    key: line.key,
    reference: paymentReference(batch, line.key),
    name,
    ...(holder !== undefined && { holder }),
    ...(match && { match }),
    to: maskedRecipient(recipient),
    bank: recipient.kind === 'bank' ? recipient.bankCode : 'mobile money',
    amount,
    ...(fee !== undefined && { fee }),
    state: line.state,
    problems,
    detail,
    updatedAt: new Date(line.updatedAt),
  };
}
