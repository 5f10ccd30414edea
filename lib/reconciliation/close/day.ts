import { isTimeZone } from '../../common/time-zone.js';

/** A year such as 0026 is a typing error, and would close an empty day in silence. */
const DAY = /^2\d{3}-\d\d-\d\d$/;
const DAY_MS = 86_400_000;
/** 16 hours: no zone is further from UTC. */
const MOST_OFFSET_MS = 57_600_000;

/** When a local day begins, and when the next one does, in milliseconds since 1970. */
interface DayBounds {
  /** The first instant of the day. */
  readonly from: number;
  /** The first instant after the day. */
  readonly to: number;
}

/** What is wrong with a day, or undefined if it is fine. */
export function dayProblem(day: unknown): string | undefined {
  if (typeof day === 'string' && DAY.test(day) && textOf(Date.parse(day)) === day) return undefined;
  return "day must be a day of the calendar, from 2000 to 2999: write for example '2026-11-20'";
}

/** What is wrong with the zone of a day, or undefined if it is fine. */
export function timeZoneProblem(timeZone: unknown): string | undefined {
  if (isTimeZone(timeZone)) return undefined;
  return "timeZone must be the name of a time zone: write for example 'Africa/Dar_es_Salaam'";
}

/**
 * The bounds of a local day, which has 23 or 25 hours if the clocks change. The end of a day is the begin of the next one,
 * so no instant is in two days or in none. A day that the zone skipped is empty, as 2011-12-30 in `Pacific/Apia`.
 *
 * @param day A day that `dayProblem` found fine.
 * @param timeZone A zone that `timeZoneProblem` found fine.
 */
export function dayBounds(day: string, timeZone: string): DayBounds {
  const date = Date.parse(day);
  const localDate = localDateIn(timeZone);
  return { from: firstInstant(date, localDate), to: firstInstant(date + DAY_MS, localDate) };
}

/**
 * The day after a day.
 *
 * @param day A day that `dayProblem` found fine.
 */
export function nextDay(day: string): string {
  return textOf(Date.parse(day) + DAY_MS);
}

/**
 * The first instant whose local date is this one or a later one. It is searched for, because midnight may not exist, and an offset
 * may change on the day before or after. Since 2011 no zone set its clocks back over a midnight that had passed; St John's did
 * in 2010.
 */
function firstInstant(date: number, localDate: (time: number) => number): number {
  let [before, after] = [date - MOST_OFFSET_MS, date + MOST_OFFSET_MS];
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2);
    if (localDate(middle) < date) before = middle;
    else after = middle;
  }
  return after;
}

/** Formats by zone, because making one takes longer than a thousand uses. */
const formats = new Map<string, Intl.DateTimeFormat>();

/** Gives the local date of an instant, as the milliseconds of its midnight in UTC. */
function localDateIn(timeZone: string): (time: number) => number {
  const known = formats.get(timeZone);
  const format =
    known ??
    new Intl.DateTimeFormat('en-US', { timeZone, year: 'numeric', month: 'numeric', day: 'numeric' });
  if (!known) formats.set(timeZone, format);
  return (time) => {
    // `11/20/2026`. The parts of a format take three times as long, and each row of a statement has a day.
    const [month = Number.NaN, day = Number.NaN, year = Number.NaN] = format
      .format(time)
      .split('/')
      .map(Number);
    return Date.UTC(year, month - 1, day);
  };
}

function textOf(date: number): string {
  return Number.isNaN(date) ? '' : new Date(date).toISOString().slice(0, 10);
}
