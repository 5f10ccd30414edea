import { PaymentsError } from '../errors/payments-errors.js';
import { pages } from '../common/pages.js';
import { type BatchChunk, type BatchRecord } from '../storage/batch-store.js';
import { type BatchAccount } from './batch/batch-accounts.js';
import { approvalDigest } from './batch/approval-digest.js';
import { detailsOf } from './batch/batch-details.js';
import { digestOfChunks } from './lines/payout-line.js';
import { balanceProblem, coverOf } from './policy/balance-rule.js';
import { type ResolvedBatchPolicy } from './policy/batch-policy.js';

const PAGE = 1_000;

/**
 * Looks whether an approved batch may begin.
 *
 * @throws PaymentsError with the code `BATCH_CHANGED` or `BATCH_BALANCE`.
 */
export async function checkReady(
  account: BatchAccount,
  record: BatchRecord,
  policy: ResolvedBatchPolicy,
): Promise<void> {
  const details = detailsOf(record);
  const { approvals } = details;
  const digest = approvalDigest(await storedDigest(account, record.load), details);
  if (approvals.some((approval) => approval.digest !== digest)) {
    throw new PaymentsError(
      'BATCH_CHANGED',
      `Nothing was sent: the stored lines of the batch "${record.batch}" are not those that were approved. Cancel it, and load it again.`,
    );
  }
  const [counts, balance] = await Promise.all([
    account.store.counts(record.load),
    account.services.wallet.balance(),
  ]);
  const problem = balanceProblem(coverOf(balance.available_balance, counts), policy);
  if (problem !== undefined) throw new PaymentsError('BATCH_BALANCE', `Nothing was sent: ${problem}`);
}

async function storedDigest({ store }: BatchAccount, load: string): Promise<string> {
  const digests: string[] = [];
  const read = (last?: BatchChunk): Promise<readonly BatchChunk[]> =>
    store.chunks(load, { after: last?.chunk ?? 0, limit: PAGE });
  for await (const chunks of pages(PAGE, read)) digests.push(...chunks.map(({ digest }) => digest));
  return digestOfChunks(digests);
}
