const INSTANT = /^(\d{4}-\d\d-\d\d)T\d\d:\d\d(:\d\d(?:\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)$/;
const DATE = /^\d{4}-\d\d-\d\d$/;

/** What a text must have, beside a day and a time of day. */
interface InstantForm {
  /** A date alone is also right: its midnight in UTC. */
  readonly dateAlone?: boolean;
  /** The seconds must be there, and the zone must be `Z`. */
  readonly exact?: boolean;
}

/**
 * Reads a moment of ISO 8601 with its zone, in milliseconds since 1970: without a zone it would be another moment on another
 * machine. Undefined if it is none. A day that is not in the calendar is refused, although `Date.parse` reads 31 February as 3 March.
 */
export function instantOf(value: unknown, { dateAlone, exact }: InstantForm = {}): number | undefined {
  if (typeof value !== 'string') return undefined;
  if (dateAlone && DATE.test(value)) return isCalendarDay(value) ? Date.parse(value) : undefined;
  const [, day = '', seconds, zone] = INSTANT.exec(value) ?? [];
  if (!isCalendarDay(day) || (exact && (seconds === undefined || zone !== 'Z'))) return undefined;
  const time = Date.parse(value);
  return Number.isNaN(time) ? undefined : time;
}

function isCalendarDay(day: string): boolean {
  const midnight = Date.parse(day);
  return !Number.isNaN(midnight) && new Date(midnight).toISOString().startsWith(day);
}
