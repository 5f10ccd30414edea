/** The last moment that a `Date` knows, in milliseconds since 1970. */
export const LAST_MOMENT = 8.64e15;

/** Formats a moment as ISO 8601 in UTC with fractional seconds. */
export function timestamp(moment: number): string {
  return new Date(moment).toISOString();
}

export function optionalTimestamp(moment: number | undefined): string | null {
  return moment === undefined ? null : timestamp(moment);
}
