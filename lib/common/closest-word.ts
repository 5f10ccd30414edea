/** The word that the user most likely meant; undefined if none is close. */
export function closestWord(typed: string, words: readonly string[]): string | undefined {
  const ranked = words
    .map((word) => ({ word, distance: editDistance(typed.toLowerCase(), word.toLowerCase()) }))
    .sort((left, right) => left.distance - right.distance);
  const [best] = ranked;
  return best && best.distance <= Math.max(1, Math.floor(best.word.length / 3)) ? best.word : undefined;
}

/** `Did you mean 'port'?`, or nothing. */
export function didYouMean(typed: string, words: readonly string[]): string {
  const word = closestWord(typed, words);
  return word === undefined ? '' : ` Did you mean '${word}'?`;
}

/** The number of characters to insert, remove or replace (Levenshtein). */
export function editDistance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (const [i, character] of Array.from(from).entries()) {
    const next = [i + 1];
    for (let j = 0; j < to.length; j += 1) {
      const replaced = (row[j] ?? 0) + (character === to[j] ? 0 : 1);
      next.push(Math.min(replaced, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1));
    }
    row = next;
  }
  return row[to.length] ?? 0;
}
