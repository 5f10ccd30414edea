import { LONGEST_TIMER_MS } from './timing.js';

const DAY_MS = 86_400_000;
/** PostgreSQL calculates no time that is much longer ago. */
const MOST_DAYS = 36_500;

/** What is wrong with an age of which something is forgotten; undefined if nothing is. */
export function ageProblem(
  field: string,
  age: unknown,
  { exampleDays = 400, leastMs = 1 }: { readonly exampleDays?: number; readonly leastMs?: number } = {},
): string | undefined {
  if (Number.isInteger(age) && Number(age) >= leastMs && Number(age) <= MOST_DAYS * DAY_MS) return undefined;
  const least = leastMs < DAY_MS ? leastMs : `${leastMs / DAY_MS} days`;
  return `${field} must be a whole number of milliseconds, from ${least} to 36,500 days: write ${exampleDays} * 86_400_000`;
}

/** What is wrong with a time to wait, or to compare with; undefined if nothing is. */
export function waitProblem(
  value: unknown,
  {
    min = 1,
    max = LONGEST_TIMER_MS,
    example = '30_000',
  }: { readonly min?: number; readonly max?: number; readonly example?: string } = {},
): string | undefined {
  if (Number.isInteger(value) && Number(value) >= min && Number(value) <= max) return undefined;
  return `must be a whole number of milliseconds from ${min} to ${max}: write ${example}`;
}
