import { editDistance } from '../../common/closest-word.js';

/**
 * What a word says in the name of a column with references.
 *
 * - `reference`: that it holds references.
 * - `order`, `number`: that together, as in `Order No.`
 * - `owner`: that they are those of the merchant.
 */
type WordMeaning = 'reference' | 'order' | 'number' | 'owner';

/**
 * The words of such a name, those of the likeliest one first, and each before what it begins with. A name with any other word is not
 * that of the merchant's own references: a provider, a network and a bank have references, too.
 */
const WORDS: ReadonlyMap<string, WordMeaning> = new Map([
  ['merchant', 'owner'],
  ['yours', 'owner'],
  ['your', 'owner'],
  ['client', 'owner'],
  ['external', 'owner'],
  ['order', 'order'],
  ['reference', 'reference'],
  ['ref', 'reference'],
  ['number', 'number'],
  ['no', 'number'],
  ['id', 'number'],
]);
const KNOWN = [...WORDS.keys()];
/** The words of `orderid`. */
const JOINED = new RegExp(KNOWN.join('|'), 'g');
/** A letter more or less makes another word of a shorter one. */
const LONG_WORD = 6;

/** Names of a lower rank say that the references are the merchant's. Those of a network may be external, too, and have an order. */
export const PERHAPS_OWNED = KNOWN.indexOf('external');

/** The rank of a name that does not say whose references these are. */
export const UNOWNED = KNOWN.length;

/** How likely the references of a column are the merchant's own, by its name: the lower the likelier. Undefined: they are not. */
export function referenceRank(header: string): number | undefined {
  const words = wordsOf(header);
  const meanings = new Set(words.map((word) => WORDS.get(word)));
  if (meanings.has(undefined)) return undefined;
  if (!meanings.has('reference') && !(meanings.has('order') && meanings.has('number'))) return undefined;
  if (meanings.has('owner') || meanings.has('order'))
    return Math.min(...words.map((word) => KNOWN.indexOf(word)));
  // `Reference No.` is what providers call theirs.
  return words.length === 1 ? UNOWNED : undefined;
}

/** The words of a name, however it is written; known ones without their typing errors. */
function wordsOf(header: string): readonly string[] {
  return header
    .toLowerCase()
    .replace(/['’]s\b/g, '')
    .split(/[^\p{L}\p{N}]+/u)
    .flatMap((word) => {
      const joined = word.match(JOINED) ?? [];
      if (joined.join('') === word) return joined;
      return KNOWN.find((known) => isTypo(word, known)) ?? word;
    });
}

/** Another first letter makes another word, as in `Preference`. */
function isTypo(word: string, known: string): boolean {
  return known.length >= LONG_WORD && word[0] === known[0] && editDistance(word, known) === 1;
}
