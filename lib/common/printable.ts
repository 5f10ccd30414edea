/** Removes the control characters, which a terminal would obey, from an outside value. */
export function printable(text: string): string {
  return text.replace(/\p{C}/gu, '\u{FFFD}');
}
