import {
  type BatchAuditEntry,
  type BatchProgress,
  type LineState,
  type PayoutBatch,
  type PayoutBatchLine,
} from 'nestjs-payments/batches';

/** Lines in which somebody has to look at. */
const TO_LOOK_AT: readonly LineState[] = ['blocked', 'unknown', 'refused', 'failed'];
/** A page shows no more of each state. The report has all. */
const MOST = 100;

/** A batch in the list. */
export interface BatchRow extends BatchProgress {
  readonly name: string;
}

/** A batch as the page shows it. Accounts and phones are masked. */
export interface BatchView extends BatchRow {
  /** What an approval is bound to. */
  readonly digest: string;
  readonly lines: readonly PayoutBatchLine[];
  readonly trail: readonly BatchAuditEntry[];
}

export async function rowOf(batch: PayoutBatch): Promise<BatchRow> {
  return { name: batch.name, ...(await batch.progress()) };
}

export async function viewOf(batch: PayoutBatch): Promise<BatchView> {
  const lines = [];
  for (const state of TO_LOOK_AT) lines.push(...(await first(MOST, batch.lines({ state }))));
  const trail = await first(Infinity, batch.audit());
  return { ...(await rowOf(batch)), digest: batch.digest, lines, trail };
}

async function first<T>(most: number, items: AsyncIterable<T>): Promise<readonly T[]> {
  const found: T[] = [];
  for await (const item of items) {
    if (found.length === most) break;
    found.push(item);
  }
  return found;
}
