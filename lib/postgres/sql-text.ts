/**
 * Any text in a form that PostgreSQL takes: it refuses U+0000, and a driver would write every lone surrogate as the same
 * replacement character. Different texts stay different; most stay as they are.
 */
export function toSqlText(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

export function fromSqlText(stored: string): string {
  return JSON.parse(`"${stored}"`) as string;
}
