import { type ResolvedBatchPolicy } from './batch-policy.js';

/** Whether a line was checked too long ago to be sent. Times are milliseconds since 1970. */
export function isCheckOutdated(
  checkedAt: number,
  now: number,
  { checkedWithinMs }: Pick<ResolvedBatchPolicy, 'checkedWithinMs'>,
): boolean {
  return now - checkedAt > checkedWithinMs;
}
