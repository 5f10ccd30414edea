const API_KEY = /\b[ps]k_(?:test|live)_\S+/gi;
const E_MAIL = /[^\s@<>"']+@[^\s@<>"']+/g;
/** Phone and account numbers, also when written in groups. */
const LONG_NUMBER = /\+?\d(?:\)?[ /-]?\d){5,}/g;
/** Shorter values would blank out ordinary words. */
const SHORTEST_VALUE = 3;
/** A shorter one counts as a whole word only: `Ali` must leave `invalid` alone. */
const SHORTEST_PART = 6;
const ASCII = /^[\0-\x7f]*$/;

/**
 * Makes text from outside safe for messages and logs: keys, e-mail addresses and long numbers become `[redacted]`,
 * and so does every one of `values`, in whatever case it is written.
 */
export function redactText(text: string, values: readonly string[] = []): string {
  let result = text;
  for (const value of [...values].sort((a, b) => b.length - a.length)) {
    const trimmed = value.trim();
    if (trimmed.length >= SHORTEST_VALUE && mayStandIn(result, trimmed))
      result = result.replace(occurrencesOf(trimmed), '[redacted]');
  }
  return result
    .replace(API_KEY, '[redacted]')
    .replace(E_MAIL, '[redacted]')
    .replace(LONG_NUMBER, '[redacted]');
}

/** Spares making a pattern. Beyond ASCII only a pattern knows which letters are the same in another case. */
function mayStandIn(text: string, value: string): boolean {
  return !ASCII.test(text) || !ASCII.test(value) || text.toLowerCase().includes(value.toLowerCase());
}

function occurrencesOf(value: string): RegExp {
  const literal = value.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
  const whole = value.length < SHORTEST_PART;
  return new RegExp(whole ? `(?<![\\p{L}\\p{N}])${literal}(?![\\p{L}\\p{N}])` : literal, 'giu');
}
