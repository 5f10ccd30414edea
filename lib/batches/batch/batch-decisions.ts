import { PaymentsError, PaymentsValidationError } from '../../errors/payments-errors.js';
import { type LineCount, type LineState, type StoredBatch } from '../../storage/batch-store.js';
import { approvalDigestOf } from './approval-digest.js';
import { detailsOf } from './batch-details.js';
import { stateAfter, type BatchAction, wrongState } from './batch-state.js';
import { approvalProblem, approvalsNeeded } from '../policy/approval-rule.js';
import { type ResolvedBatchPolicy } from '../policy/batch-policy.js';
import { type BatchChange } from './batch-change.js';

/** @throws PaymentsError with the code `BATCH_STATE` if the state of the batch does not allow the action. */
export function checkState({ record }: StoredBatch, action: BatchAction): void {
  if (!stateAfter(record.state, action)) throw wrongState(record.batch, record.state, action);
}

/** How many lines are in a state. */
export function linesIn(counts: readonly LineCount[], state: LineState): number {
  return counts.find((count) => count.state === state)?.lines ?? 0;
}

/**
 * What an approval does: the last one that is needed lets the batch start.
 *
 * @throws PaymentsError with the code `BATCH_STATE` or `BATCH_APPROVAL`.
 */
export function decideApproval(
  stored: StoredBatch,
  { by, digest }: { readonly by: string; readonly digest: string },
  policy: ResolvedBatchPolicy,
): BatchChange {
  checkState(stored, 'approve');
  const { record } = stored;
  const { createdBy, approvals, cents, approvalsNeeded: neededAtLoad = 1 } = detailsOf(record);
  const batch = { digest: approvalDigestOf(record), createdBy, approvals };
  const problem = approvalProblem({ by, digest, batch }, policy);
  if (problem !== undefined) throw new PaymentsError('BATCH_APPROVAL', `Nothing was approved: ${problem}.`);
  const given = [...approvals, { by, digest }];
  const isLast = given.length >= Math.max(neededAtLoad, approvalsNeeded(BigInt(cents), policy));
  return {
    action: isLast ? 'approve' : 'approve-in-part',
    by,
    details: { digest },
    changes: { approvals: given },
  };
}

/**
 * @throws PaymentsError with the code `BATCH_BLOCKED` if lines are not checked, or are blocked and nobody said to continue without
 * them.
 */
export function refuseBlocked(counts: readonly LineCount[], withoutBlocked: boolean): void {
  const waiting = linesIn(counts, 'waiting');
  if (waiting > 0) {
    throw new PaymentsError('BATCH_BLOCKED', `${waiting} lines are not checked: call batch.check() first.`);
  }
  const blocked = linesIn(counts, 'blocked');
  if (blocked === 0 || withoutBlocked) return;
  throw new PaymentsError(
    'BATCH_BLOCKED',
    `${blocked} lines are blocked: read them with batch.lines({ state: 'blocked' }), then accept them, or approve with withoutBlocked: true to leave them unpaid.`,
  );
}

/** An empty field of a form must not become an approval of whatever is stored. */
export function noDigest(): PaymentsValidationError {
  const problem =
    'digest must be that of the lines that were looked at: show batch.digest with them, or leave the field out';
  return new PaymentsValidationError({ digest: [problem] });
}
