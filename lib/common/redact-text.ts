const API_KEY = /\b[ps]k_(?:test|live)_\S+/g;
const E_MAIL = /[^\s@<>"']+@[^\s@<>"']+/g;
/** Phone and account numbers, also when written in groups. */
const LONG_NUMBER = /\+?\d(?:[ -]?\d){5,}/g;
/** Shorter values would blank out ordinary words. */
const SHORTEST_VALUE = 3;

/**
 * Makes text from outside safe for messages and logs: keys, e-mail addresses and long numbers become `[redacted]`,
 * and so does every one of `values`, in whatever case.
 */
export function redactText(text: string, values: readonly string[] = []): string {
  let result = text;
  for (const value of [...values].sort((a, b) => b.length - a.length)) {
    if (value.trim().length >= SHORTEST_VALUE) result = result.replace(anyCase(value.trim()), '[redacted]');
  }
  return result
    .replace(API_KEY, '[redacted]')
    .replace(E_MAIL, '[redacted]')
    .replace(LONG_NUMBER, '[redacted]');
}

function anyCase(value: string): RegExp {
  return new RegExp(value.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'), 'gi');
}
