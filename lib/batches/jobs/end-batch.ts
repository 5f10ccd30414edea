import { type StoredBatch } from '../../storage/batch-store.js';
import { type BatchAccount } from '../batch/batch-accounts.js';
import { linesIn } from '../batch/batch-decisions.js';
import { changeBatch } from '../batch/batch-change.js';

/** Who did what nobody asked for. */
export const SYSTEM = 'payout-batches';

/** Ends the check of a batch if every line was checked. */
export async function endCheck(account: BatchAccount, stored: StoredBatch): Promise<void> {
  const counts = await account.store.counts(stored.record.load);
  if (linesIn(counts, 'waiting') > 0) return;
  const details = { blocked: linesIn(counts, 'blocked') };
  await changeBatch(account, stored, () => ({ action: 'check-end', by: SYSTEM, details }));
}

/** Ends the run of a batch if nothing is left to send. */
export async function endRun(account: BatchAccount, stored: StoredBatch): Promise<void> {
  const counts = await account.store.counts(stored.record.load);
  if (linesIn(counts, 'checked') + linesIn(counts, 'sending') > 0) return;
  await changeBatch(account, stored, () => ({ action: 'end', by: SYSTEM }));
}
