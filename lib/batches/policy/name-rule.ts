import { type NameMatch } from '../names/compare-names.js';
import { type ResolvedBatchPolicy } from './batch-policy.js';

/** Whether a person has to look at two names. */
export function nameNeedsWord(
  match: NameMatch,
  { acceptNames }: Pick<ResolvedBatchPolicy, 'acceptNames'>,
): boolean {
  return !acceptNames.includes(match);
}
