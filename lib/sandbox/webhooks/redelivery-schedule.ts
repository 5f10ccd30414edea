const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** How long after a failed try the next one follows. Invented: the specification does not show it ("Events" rule 4). */
const WAITS_MS: readonly number[] = [
  5 * SECOND,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  10 * HOUR,
];

/** Milliseconds until the try after `attempts` failed ones; undefined where no further one follows. */
export function waitAfter(attempts: number): number | undefined {
  return WAITS_MS[attempts - 1];
}
