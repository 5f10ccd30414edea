/**
 * Replaces the control characters of an outside value, which a terminal would obey: it could move the cursor, or forge a line.
 */
export function printable(value: unknown): string {
  return String(value).replace(/\p{C}/gu, '\u{FFFD}');
}
