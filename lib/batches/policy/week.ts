/**
 * A day of the week.
 *
 * @publicApi
 */
export type Day = 'sun' | 'mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat';

export const DAYS: readonly Day[] = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];

export const DAY_MINUTES = 1_440;
const TIME = /^([01]\d|2[0-3]):([0-5]\d)$/;

/** The minute of the day of `HH:MM`; undefined if it is no such time. `24:00` is the end of the day. */
export function minuteOf(text: unknown): number | undefined {
  if (text === '24:00') return DAY_MINUTES;
  const [, hours, minutes] = (typeof text === 'string' && TIME.exec(text)) || [];
  return hours === undefined ? undefined : Number(hours) * 60 + Number(minutes);
}
