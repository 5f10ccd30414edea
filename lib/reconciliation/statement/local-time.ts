const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;
/** Rows of one file are often of the same minutes. */
const MOST_MINUTES_KEPT = 20_000;

/**
 * Converts the times of a wall clock in a time zone. A time that the clocks showed twice is the first one.
 *
 * @returns A function from a local time, written as if it were UTC, to milliseconds since 1970; to undefined if the clocks
 * skipped that time.
 */
export function instantsIn(timeZone: string): (local: number) => number | undefined {
  const offset = offsetsIn(timeZone);
  return (local) => {
    // Offsets are those of a day before or a day after, whichever is right at the time that it gives.
    const instants = [offset(local - DAY_MS), offset(local + DAY_MS)]
      .filter((candidate) => offset(local - candidate) === candidate)
      .map((candidate) => local - candidate);
    return instants.length === 0 ? undefined : Math.min(...instants);
  };
}

/** The milliseconds that local time is ahead of UTC. Offsets of this century are whole minutes, and change at whole minutes. */
function offsetsIn(timeZone: string): (time: number) => number {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone,
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    hourCycle: 'h23',
  });
  const known = new Map<number, number>();
  return (time) => {
    const minute = Math.floor(time / MINUTE_MS) * MINUTE_MS;
    const kept = known.get(minute);
    if (kept !== undefined) return kept;
    // `11/20/2026, 14:05`
    const [month = 0, day = 0, year = 0, hour = 0, past = 0] = (
      format.format(minute).match(/\d+/g) ?? []
    ).map(Number);
    const offset = Date.UTC(year, month - 1, day, hour, past) - minute;
    if (known.size >= MOST_MINUTES_KEPT) known.clear();
    known.set(minute, offset);
    return offset;
  };
}
