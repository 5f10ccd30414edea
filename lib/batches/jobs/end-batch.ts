import { type BatchStore, type StoredBatch } from '../../storage/batch-store.js';
import { type BatchAccount } from '../batch/batch-accounts.js';
import { changeBatch } from '../batch/batch-change.js';
import { linesIn } from '../batch/batch-decisions.js';
import { detailsOf } from '../batch/batch-details.js';
import { linePages } from '../batch/batch-pages.js';
import { type LineResult } from '../batch/line-result.js';
import { unblockLines } from './unblock-lines.js';

/** Who did what nobody asked for. */
export const SYSTEM = 'payout-batches';

/**
 * Ends the check of a batch if every line was checked. Lines that somebody accepts are written first, also if another
 * process began to accept them: no approver sees them as blocked.
 */
export async function endCheck(account: BatchAccount, stored: StoredBatch): Promise<void> {
  const { accepting, round } = detailsOf(stored.record);
  if (accepting) await unblockLines(account.store, stored.record.load, accepting);
  const counts = await account.store.counts(stored.record.load);
  if (linesIn(counts, 'waiting') > 0) return;
  const details = { blocked: linesIn(counts, 'blocked') };
  await changeBatch(account, stored, ({ record }) =>
    detailsOf(record).round === round
      ? { action: 'check-end', by: SYSTEM, details, changes: { accepting: undefined, looksAgain: undefined } }
      : undefined,
  );
}

/** Ends the run of a batch if nothing is left to send. */
export async function endRun(account: BatchAccount, stored: StoredBatch): Promise<void> {
  const { store } = account;
  const { load } = stored.record;
  const counts = await store.counts(load);
  if (linesIn(counts, 'checked') + linesIn(counts, 'sending') > 0) return;
  if (linesIn(counts, 'waiting') > 0) await blockUnchecked(store, load);
  await changeBatch(account, stored, () => ({ action: 'end', by: SYSTEM }));
}

/** The check may have ended while a process stood still, before it moved these lines: they stay unpaid, and say so. */
async function blockUnchecked(store: BatchStore, load: string): Promise<void> {
  const result: LineResult = {
    problems: ['lookup'],
    detail: 'it was not looked up before the batch was paid',
  };
  for await (const lines of linePages(store, load, ['waiting'])) {
    await store.change(
      load,
      lines.map(({ number }) => ({
        number,
        from: ['waiting'],
        to: 'blocked',
        result: JSON.stringify(result),
      })),
    );
  }
}
