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
  store: BatchStore,
  load: string,
  states?: readonly LineState[],
): AsyncIterable<readonly BatchLine[]> {
  return pages(PAGE, (last) =>
    store.lines(load, { after: last?.number ?? 0, limit: PAGE, ...(states && { states }) }),
  );
}

/** The audit trail of a batch, page after page. */
export function eventPages(store: BatchStore, batch: BatchKey): AsyncIterable<readonly StoredBatchEvent[]> {
  return pages(PAGE, (last) => store.events(batch, { after: last?.number ?? 0, limit: PAGE }));
}
