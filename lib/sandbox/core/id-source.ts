/** Makes pseudorandom ids: the same seed gives the same ids. */
export interface IdSource {
  /** An RFC 4122 version 4 UUID. */
  uuid(): string;
  /** Upper-case letters and digits. */
  token(length: number): string;
  /** Where the sequence is. Setting it continues another sequence of the same seed from there. */
  position: number;
}

/** A pseudorandom sequence of numbers. */
export interface Chance {
  /** A number from 0 to below 1. */
  draw(): number;
  /** Where the sequence is. */
  position: number;
}

const TOKEN_ALPHABET = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789';

export function seededIds(seed: number): IdSource {
  const words = new RandomWords(seed);
  const next = (): number => words.next();
  return {
    get position() {
      return words.position;
    },
    set position(position) {
      words.position = position;
    },
    uuid: () => {
      const hex = Array.from({ length: 4 }, () => next().toString(16).padStart(8, '0')).join('');
      const variant = '89ab'.charAt(next() % 4);
      return hex.replace(/^(.{8})(.{4}).(.{3}).(.{3})/, `$1-$2-4$3-${variant}$4-`);
    },
    token: (length) =>
      Array.from({ length }, () => TOKEN_ALPHABET.charAt(next() % TOKEN_ALPHABET.length)).join(''),
  };
}

/** Gives each merchant an id sequence of its own. @param sources Keeps them. */
export function idsByMerchant(
  seed: number,
  sources = new Map<string, IdSource>(),
): (merchant: string) => IdSource {
  return (merchant) => {
    const known = sources.get(merchant) ?? seededIds(seedFor(seed, `ids ${merchant}`));
    sources.set(merchant, known);
    return known;
  };
}

/** Draws numbers from 0 to below 1, the same for the same seed. */
export function seededChance(seed: number): Chance {
  const words = new RandomWords(seed);
  return {
    get position() {
      return words.position;
    },
    set position(position) {
      words.position = position;
    },
    draw: () => words.next() / 2 ** 32,
  };
}

/** The splitmix32 generator of 32-bit words. */
class RandomWords {
  position: number;

  constructor(seed: number) {
    this.position = seed >>> 0;
  }

  next(): number {
    this.position = (this.position + 0x9e3779b9) >>> 0;
    let word = this.position ^ (this.position >>> 16);
    word = Math.imul(word, 0x21f0aaad);
    word ^= word >>> 15;
    word = Math.imul(word, 0x735a2d97);
    return (word ^ (word >>> 15)) >>> 0;
  }
}

/** Derives a seed for a subject (FNV-1a over the text's UTF-16 units). */
export function seedFor(seed: number, subject: string): number {
  let value = 0x811c9dc5;
  for (const character of `${seed} ${subject}`) {
    value = Math.imul(value ^ (character.codePointAt(0) ?? 0), 0x01000193) >>> 0;
  }
  return value;
}
