/**
 * References that many databases take for the same: those of a group differ in case, in white space at an end, in an accent
 * or how it is written, or in the last of 255 bytes. A webhook may name a reference with white space at its ends, and asks
 * the journal for it.
 */
export const ALIKE_REFERENCES: readonly (readonly [first: string, ...others: string[]])[] = [
  ['order-a', 'ORDER-A', 'order-a ', ' order-a'],
  ['\u00e9', 'e', 'e\u0301', '\u00c9'],
  [`${'x'.repeat(254)}1`, `${'x'.repeat(254)}2`, 'x'.repeat(254)],
];

/** Two fingerprints in full length. */
export const ALIKE_FINGERPRINTS = [`${'a'.repeat(63)}1`, `${'a'.repeat(63)}2`] as const;

const MIXED = 'a\u00e9\u{1F4B8}\u0645"\\\n';

/** A JSON text of exactly so many bytes, of ASCII and other characters. */
export function longText(bytes: number): string {
  const times = Math.floor(bytes / Buffer.byteLength(JSON.stringify(MIXED))) - 1;
  const text = JSON.stringify({ text: MIXED.repeat(times), rest: '' });
  return `${text.slice(0, -2)}${'x'.repeat(bytes - Buffer.byteLength(text))}"}`;
}
