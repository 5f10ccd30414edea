const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** The wait after each failed try. Invented: the specification does not show it ("Events" rule 4). */
const WAITS_MS: readonly number[] = [
  5 * SECOND,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  10 * HOUR,
];

/** Milliseconds until the try after `attempts` failed ones; undefined after the last one. */
export function waitAfter(attempts: number): number | undefined {
  return WAITS_MS[attempts - 1];
}
