import { type BatchLine, type BatchRecord, type BatchStore } from '../../storage/batch-store.js';
import { detailsOf } from '../batch/batch-details.js';
import { linePages } from '../batch/batch-pages.js';
import { resultOf } from '../batch/line-result.js';

/** Blocked lines about whose recipients the gateway gave no usable answer in a check before that of a round. */
async function* openLookups(
  store: BatchStore,
  load: string,
  round: number,
): AsyncGenerator<readonly BatchLine[], void, undefined> {
  for await (const lines of linePages(store, load, ['blocked'])) {
    const open = lines.filter(({ result }) => {
      const { problems, unansweredIn } = resultOf(result);
      return problems?.includes('lookup') && unansweredIn !== round;
    });
    if (open.length > 0) yield open;
  }
}

/** Whether a further check looks blocked lines up again. */
export async function hasOpenLookups(store: BatchStore, record: BatchRecord): Promise<boolean> {
  const { done } = await openLookups(store, record.load, detailsOf(record).round + 1).next();
  return done !== true;
}

/** Lets the check that runs look these lines up again. Doing it again changes nothing. */
export async function lookUpAgain(store: BatchStore, record: BatchRecord): Promise<void> {
  for await (const lines of openLookups(store, record.load, detailsOf(record).round)) {
    await store.change(
      record.load,
      lines.map(({ number }) => ({ number, from: ['blocked'], to: 'waiting', result: '{}' })),
    );
  }
}
