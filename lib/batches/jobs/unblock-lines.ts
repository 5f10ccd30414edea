import { type BatchLine, type BatchStore, type LineChange } from '../../storage/batch-store.js';
import { type BatchAccess } from '../batch/batch-access.js';
import { blockedPages } from '../batch/batch-pages.js';
import { type LineWord, resultOf } from '../batch/line-result.js';

/** The word of a person for a line as it is now; undefined if it is not blocked, or nobody would be paid. */
function wordFor(
  { state, result: text }: Pick<BatchLine, 'state' | 'result'>,
  by: string,
): LineWord | undefined {
  const { holder, detail } = resultOf(text);
  return state === 'blocked' && holder !== undefined ? { by, holder, detail } : undefined;
}

/**
 * The words of a person for those of some lines that are blocked.
 *
 * @throws PaymentsError with the code `LINE_NOT_FOUND`.
 */
export async function wordsFor(
  access: BatchAccess,
  keys: readonly string[],
  by: string,
): Promise<readonly { readonly number: number; readonly word: LineWord }[]> {
  const words: { readonly number: number; readonly word: LineWord }[] = [];
  const others = new Set(keys);
  for await (const lines of blockedPages(access.account.store, access.load, keys)) {
    for (const line of lines) {
      others.delete(line.key);
      const word = wordFor(line, by);
      if (word) words.push({ number: line.number, word });
    }
  }
  for (const key of others) await access.line(key);
  return words;
}

/** Lets blocked lines be paid. Doing it again changes nothing. A database takes only so many changes at once. */
export async function unblockLines(
  store: Pick<BatchStore, 'line' | 'lines' | 'change'>,
  load: string,
  { by, keys }: { readonly by: string; readonly keys: readonly string[] },
): Promise<void> {
  for await (const lines of blockedPages(store, load, keys)) {
    const changes = lines.flatMap((line): readonly LineChange[] => {
      const word = wordFor(line, by);
      const result = JSON.stringify({ ...resultOf(line.result), word });
      return word ? [{ number: line.number, from: ['blocked'], to: 'checked', result }] : [];
    });
    await store.change(load, changes);
  }
}
