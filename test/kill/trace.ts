import { type Line } from './history.js';
import { type Step } from './steps.js';

/** So much is shown: only the end of a long output is kept in some places. */
const REFERENCES = 5;
const LINES_OF_EACH = 30;
const LAST = 10;

/** What the history and the storage say about the references that the violations name, and what happened last. */
export function traceOf(
  violations: readonly string[],
  lines: readonly Line[],
  steps: readonly Step[],
): readonly string[] {
  const named = violations.flatMap((violation) => violation.match(/order-\d{6}/g) ?? []);
  const references = [...new Set(named)].slice(0, REFERENCES);
  const about = references.flatMap((reference) => [
    ...lines
      .filter((line) => 'reference' in line && line.reference === reference)
      .slice(-LINES_OF_EACH)
      .map((line) => JSON.stringify(line)),
    ...steps
      .filter((step) => step.reference === reference)
      .slice(-LINES_OF_EACH)
      .map((step) => `the storage: ${JSON.stringify(step)}`),
  ]);
  return [...about, 'last:', ...lines.slice(-LAST).map((line) => JSON.stringify(line))];
}
