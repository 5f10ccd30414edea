/**
 * Any text in a form that PostgreSQL takes: it refuses U+0000, and a driver would write every lone surrogate as the same
 * replacement character. Different texts stay different; most stay as they are.
 */
export function toSqlText(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

export function fromSqlText(stored: string): string {
  return stored.includes('\\') ? (JSON.parse(`"${stored}"`) as string) : stored;
}

/** A text as an expression of SQL: as hex digits it cannot be anything else, whatever the server's settings are. */
export function textLiteral(text: string): string {
  return `convert_from(decode('${Buffer.from(text).toString('hex')}', 'hex'), 'UTF8')`;
}
