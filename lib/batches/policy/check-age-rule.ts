import { type ResolvedBatchPolicy } from './batch-policy.js';

/**
 * Whether a line was checked too long ago to be sent. A check far in the future counts as too long ago, because a clock is wrong,
 * and so does one whose time cannot be read. Times are milliseconds since 1970.
 */
export function isCheckOutdated(
  checkedAt: number,
  now: number,
  { checkedWithinMs }: Pick<ResolvedBatchPolicy, 'checkedWithinMs'>,
): boolean {
  return !(Math.abs(now - checkedAt) <= checkedWithinMs);
}
