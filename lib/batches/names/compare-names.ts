import { withoutInvisible } from '../../common/invisible.js';

/**
 * How two names of a person compare.
 *
 * - `same`: the same words, whatever their order, case and accents.
 * - `similar`: probably the same person; a middle name is missing, an initial replaces a name, a letter differs.
 * - `different`: a person decides.
 *
 * @publicApi
 */
export type NameMatch = 'same' | 'similar' | 'different';

const TITLES = new Set([
  'mr',
  'mrs',
  'ms',
  'miss',
  'dr',
  'prof',
  'eng',
  'bw',
  'bwana',
  'bi',
  'bibi',
  'ndugu',
  'mwl',
]);
/** A shorter name with one different letter is another name. */
const SHORTEST_MISSPELT = 4;
/** More than any name has: each word of one name may be compared with each word of the other, again and again. */
const MOST_WORDS = 50;

/** Apostrophes of every keyboard. */
const APOSTROPHES = /['’ʼ‘`´ʻ‛′＇]/gu;
/** Accents of Latin letters only: in some other scripts, marks are vowels. */
const ACCENTS = /[\u0300-\u036f]/g;

/**
 * Compares a name as somebody wrote it with the name of the holder at the bank. The order of the words, upper and lower case,
 * accents, apostrophes and titles do not count.
 *
 * @example
 * ```ts
 * compareNames('Dr. Asha Mushi', 'MUSHI ASHA'); // 'same'
 * compareNames('Omari B. Juma', 'Omari Bakari Juma'); // 'similar'
 * ```
 *
 * @publicApi
 */
export function compareNames(written: string, held: string): NameMatch {
  const one = wordsOf(written);
  const other = wordsOf(held);
  if (one.length === 0 || other.length === 0) return 'different';
  if (inOrder(one) === inOrder(other)) return 'same';
  if (one.join('') === other.join('')) return 'similar';
  if (Math.max(one.length, other.length) > MOST_WORDS) return 'different';
  const [fewer, more] = one.length <= other.length ? [one, other] : [other, one];
  return fitsInto(fewer, more) ? 'similar' : 'different';
}

/** Whether every word has its own partner, there are two or more, and one pair is equal in full. */
function fitsInto(fewer: readonly string[], more: readonly string[]): boolean {
  if (fewer.length < 2) return false;
  const free = [...more];
  const open = fewer.filter((word) => {
    const twin = word.length > 1 ? free.indexOf(word) : -1;
    if (twin >= 0) free.splice(twin, 1);
    return twin < 0;
  });
  return open.length < fewer.length && canPairUp(open, free);
}

/** Whether each word can have its own partner. A word moves to another partner if it takes the only one of the next word. */
function canPairUp(words: readonly string[], free: readonly string[]): boolean {
  const wordAt = new Map<number, string>();
  const place = (word: string, tried: Set<number>): boolean =>
    free.some((candidate, index) => {
      if (tried.has(index) || !(isMisspelt(word, candidate) || isInitial(word, candidate))) return false;
      tried.add(index);
      const before = wordAt.get(index);
      if (before !== undefined && !place(before, tried)) return false;
      wordAt.set(index, word);
      return true;
    });
  return words.every((word) => place(word, new Set()));
}

function wordsOf(name: string): readonly string[] {
  const words = withoutInvisible(name)
    .replace(APOSTROPHES, '')
    .normalize('NFKD')
    .replace(ACCENTS, '')
    .toLowerCase()
    .split(/[^\p{L}\p{M}\p{N}]+/u)
    .filter((word) => word !== '');
  const untitled = words.filter((word) => !TITLES.has(word));
  return untitled.length > 0 ? untitled : words;
}

function inOrder(words: readonly string[]): string {
  return [...words].sort().join(' ');
}

function isInitial(word: string, other: string): boolean {
  return (word.length === 1 || other.length === 1) && word[0] === other[0];
}

/** Whether one letter is added, missing or different, or two neighbours are swapped. */
function isMisspelt(word: string, other: string): boolean {
  if (Math.min(word.length, other.length) < SHORTEST_MISSPELT) return false;
  let start = 0;
  while (start < word.length && word[start] === other[start]) start += 1;
  let end = 0;
  while (end < Math.min(word.length, other.length) - start && word.at(-1 - end) === other.at(-1 - end))
    end += 1;
  const left = word.slice(start, word.length - end);
  const right = other.slice(start, other.length - end);
  if (left.length <= 1 && right.length <= 1) return true;
  return left.length === 2 && right.length === 2 && left[0] === right[1] && left[1] === right[0];
}
