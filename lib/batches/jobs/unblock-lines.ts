import { type BatchLine, type BatchStore, type LineChange } from '../../storage/batch-store.js';
import { type LineWord, resultOf } from '../batch/line-result.js';

/** The word of a person for a line as it is now; undefined if it is not blocked, or nobody would be paid. */
export function wordFor(
  { state, result: text }: Pick<BatchLine, 'state' | 'result'>,
  by: string,
): LineWord | undefined {
  const { holder, detail } = resultOf(text);
  return state === 'blocked' && holder !== undefined ? { by, holder, detail } : undefined;
}

/** Lets blocked lines be paid. Doing it again changes nothing. */
export async function unblockLines(
  store: BatchStore,
  load: string,
  { by, keys }: { readonly by: string; readonly keys: readonly string[] },
): Promise<void> {
  const changes: LineChange[] = [];
  for (const key of keys) {
    const line = await store.line(load, key);
    const word = line && wordFor(line, by);
    if (!line || !word) continue;
    const result = JSON.stringify({ ...resultOf(line.result), word });
    changes.push({ number: line.number, from: ['blocked'], to: 'checked', result });
  }
  await store.change(load, changes);
}
