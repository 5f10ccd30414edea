import { expect, it } from 'vitest';
import { approvalProblem } from '../../../../lib/batches/policy/approval-rule.js';

it.each(['', ' ', '\t\n', '\u200b \u2060'])('an approval by nobody (%j) does not count', (by) => {
  const batch = { digest: 'd', createdBy: 'maker', approvals: [] };
  expect(approvalProblem({ by, digest: 'd', batch }, { creatorMayApprove: true })).toContain(
    'nobody is named',
  );
});
