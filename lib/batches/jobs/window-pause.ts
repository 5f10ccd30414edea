import { type BatchContext } from '../batch/batch-context.js';
import { type BatchPause } from '../batch/batch-details.js';
import { windowProblem } from '../policy/window-rule.js';

/** The pause of a batch outside the windows of the policy; undefined if one is open, or there are none. */
export function windowPause({ now, policy }: Pick<BatchContext, 'now' | 'policy'>): BatchPause | undefined {
  if (!windowProblem(now(), policy)) return undefined;
  return { reason: 'No window of the policy is open.', until: 'window' };
}
