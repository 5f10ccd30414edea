import { pages } from '../../common/pages.js';
import {
  type BatchKey,
  type BatchLine,
  type BatchStore,
  type LineState,
  type StoredBatchEvent,
} from '../../storage/batch-store.js';

const PAGE = 500;

/** The lines of a batch in their order, page after page: those in some states, or all. */
export function linePages(
  store: Pick<BatchStore, 'lines'>,
  load: string,
  states?: readonly LineState[],
): AsyncIterable<readonly BatchLine[]> {
  return pages(PAGE, (last) =>
    store.lines(load, { after: last?.number ?? 0, limit: PAGE, ...(states && { states }) }),
  );
}

/** The blocked ones among some lines, page after page. Many keys do not cost a query each. */
export async function* blockedPages(
  store: Pick<BatchStore, 'line' | 'lines'>,
  load: string,
  keys: readonly string[],
): AsyncGenerator<readonly BatchLine[], void, undefined> {
  const wanted = new Set(keys);
  if (wanted.size > PAGE) {
    for await (const lines of linePages(store, load, ['blocked'])) {
      yield lines.filter(({ key }) => wanted.has(key));
    }
    return;
  }
  const found: BatchLine[] = [];
  for (const key of wanted) {
    const line = await store.line(load, key);
    if (line?.state === 'blocked') found.push(line);
  }
  yield found;
}

/** The audit trail of a batch, page after page. */
export function eventPages(store: BatchStore, batch: BatchKey): AsyncIterable<readonly StoredBatchEvent[]> {
  return pages(PAGE, (last) => store.events(batch, { after: last?.number ?? 0, limit: PAGE }));
}
