/** Formats a moment as ISO 8601 in UTC with fractional seconds. */
export function timestamp(moment: number): string {
  return new Date(moment).toISOString();
}

export function optionalTimestamp(moment: number | undefined): string | null {
  return moment === undefined ? null : timestamp(moment);
}
