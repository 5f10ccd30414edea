import { withoutInvisible } from '../../common/invisible.js';
import { type ResolvedBatchPolicy } from './batch-policy.js';

/** What an approval is compared with. */
interface ApprovedBatch {
  readonly digest: string;
  readonly createdBy: string;
  readonly approvals: readonly { readonly by: string }[];
}

/** How many people have to approve a batch with this sum. */
export function approvalsNeeded(
  cents: bigint,
  { approvals }: Pick<ResolvedBatchPolicy, 'approvals'>,
): number {
  return approvals.findLast(({ fromCents }) => cents >= fromCents)?.needed ?? 1;
}

/** Why an approval does not count, as the rest of a sentence; undefined if it does. */
export function approvalProblem(
  { by, digest, batch }: { readonly by: string; readonly digest: string; readonly batch: ApprovedBatch },
  { creatorMayApprove }: Pick<ResolvedBatchPolicy, 'creatorMayApprove'>,
): string | undefined {
  if (plain(by) === '') return 'nobody is named: write who approves it';
  if (digest !== batch.digest) {
    return 'the digest is not that of the lines, so other lines were looked at: open the batch and look at it again';
  }
  if (isSamePerson(by, batch.createdBy) && !creatorMayApprove) {
    return 'the person who created the batch may not approve it: another person has to';
  }
  if (batch.approvals.some((approval) => isSamePerson(approval.by, by))) {
    return 'this person has approved it already: another one has to';
  }
  return undefined;
}

/** A person who types their own name in capitals, or with another or an invisible space, is no second person. */
function isSamePerson(one: string, other: string): boolean {
  return plain(one) === plain(other);
}

function plain(by: string): string {
  return withoutInvisible(by).normalize('NFKC').replace(/\s+/g, ' ').trim().toLowerCase();
}
