/** Makes ids that look random and repeat with the seed. */
export interface IdSource {
  /** An RFC 4122 version 4 UUID. */
  uuid(): string;
  /** Upper-case letters and digits. */
  token(length: number): string;
}

const TOKEN_ALPHABET = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789';

export function seededIds(seed: number): IdSource {
  const next = randomWords(seed);
  return {
    uuid: () => {
      const hex = Array.from({ length: 4 }, () => next().toString(16).padStart(8, '0')).join('');
      const variant = '89ab'.charAt(next() % 4);
      return [
        hex.slice(0, 8),
        hex.slice(8, 12),
        `4${hex.slice(13, 16)}`,
        `${variant}${hex.slice(17, 20)}`,
        hex.slice(20),
      ].join('-');
    },
    token: (length) =>
      Array.from({ length }, () => TOKEN_ALPHABET.charAt(next() % TOKEN_ALPHABET.length)).join(''),
  };
}

/** Draws numbers from 0 to below 1, the same ones for the same seed. */
export function seededChance(seed: number): () => number {
  const next = randomWords(seed);
  return () => next() / 2 ** 32;
}

/** The splitmix32 generator: 32-bit words, the same ones for the same seed. */
function randomWords(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x9e3779b9) >>> 0;
    let word = state ^ (state >>> 16);
    word = Math.imul(word, 0x21f0aaad);
    word ^= word >>> 15;
    word = Math.imul(word, 0x735a2d97);
    return (word ^ (word >>> 15)) >>> 0;
  };
}
