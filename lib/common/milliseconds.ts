import { LONGEST_TIMER_MS } from './timing.js';

/** What is wrong with an age of which something is forgotten; undefined if nothing is. */
export function ageProblem(field: string, age: unknown, exampleDays = 400): string | undefined {
  if (Number.isSafeInteger(age) && Number(age) > 0) return undefined;
  return `${field} must be a whole number of milliseconds greater than 0: write ${exampleDays} * 86_400_000`;
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
