/** Makes pseudorandom ids: the same seed gives the same ids. */
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
      return hex.replace(/^(.{8})(.{4}).(.{3}).(.{3})/, `$1-$2-4$3-${variant}$4-`);
    },
    token: (length) =>
      Array.from({ length }, () => TOKEN_ALPHABET.charAt(next() % TOKEN_ALPHABET.length)).join(''),
  };
}

/** Gives each merchant an id sequence of its own. */
export function idsByMerchant(seed: number): (merchant: string) => IdSource {
  const sources = new Map<string, IdSource>();
  return (merchant) => {
    const known = sources.get(merchant) ?? seededIds(seedFor(seed, `ids ${merchant}`));
    sources.set(merchant, known);
    return known;
  };
}

/** Draws numbers from 0 to below 1, the same for the same seed. */
export function seededChance(seed: number): () => number {
  const next = randomWords(seed);
  return () => next() / 2 ** 32;
}

/** The splitmix32 generator of 32-bit words. */
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

/** Derives a seed for a subject (FNV-1a over the text's UTF-16 units). */
export function seedFor(seed: number, subject: string): number {
  let value = 0x811c9dc5;
  for (const character of `${seed} ${subject}`) {
    value = Math.imul(value ^ (character.codePointAt(0) ?? 0), 0x01000193) >>> 0;
  }
  return value;
}
