/** What JSON leaves as it is, although it ends a line, steers a terminal, or turns the text behind it around. */
const UNSAFE = /[\u007f-\u009f\u2028-\u202e\u2066-\u2069]/g;

/** A text from outside for a log line, quoted, so that it cannot break the line or pass for another. Takes any value. */
export function quoted(text: unknown): string {
  return JSON.stringify(String(text)).replace(
    UNSAFE,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
