import { type ResolvedBatchPolicy } from './batch-policy.js';
import { type Day, DAY_MINUTES } from './week.js';

const MINUTE_MS = 60_000;
/** Two weeks, because a change of the clock may leave out a window once, and a day for such a change. */
const MOST_MINUTES = 15 * DAY_MINUTES;

/**
 * When the next window opens, in milliseconds since 1970; undefined if one is open, or there are none.
 */
export function windowProblem(
  now: number,
  { windows, timeZone }: Pick<ResolvedBatchPolicy, 'windows' | 'timeZone'>,
): { readonly opensAt: number } | undefined {
  if (!windows) return undefined;
  const local = localClock(timeZone);
  const isOpen = (time: number): boolean => {
    const { day, minute } = local(time);
    return windows.some(({ days, from, to }) => days.includes(day) && minute >= from && minute < to);
  };
  if (isOpen(now)) return undefined;
  // Offsets of time zones are whole minutes, and change at whole minutes.
  const first = Math.floor(now / MINUTE_MS) * MINUTE_MS;
  for (let minutes = 1; minutes <= MOST_MINUTES; minutes += 1) {
    const time = first + minutes * MINUTE_MS;
    if (isOpen(time)) return { opensAt: time };
  }
  // No zone leaves out a window twice. If one does, the batch that waits looks again then.
  return { opensAt: first + MOST_MINUTES * MINUTE_MS };
}

function localClock(timeZone: string): (time: number) => { readonly day: Day; readonly minute: number } {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone,
    weekday: 'short',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  });
  return (time) => {
    const parts = Object.fromEntries(format.formatToParts(time).map(({ type, value }) => [type, value]));
    const { weekday = '', hour = '', minute = '' } = parts;
    return { day: weekday.toLowerCase() as Day, minute: Number(hour) * 60 + Number(minute) };
  };
}
