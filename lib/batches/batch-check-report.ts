import { formatCents } from '../common/money.js';
import { PaymentsError } from '../errors/payments-errors.js';
import { type BatchRecord } from '../storage/batch-store.js';
import { eventPages, linePages } from './batch/batch-pages.js';
import { type BatchAccount } from './batch/batch-accounts.js';
import { linesIn } from './batch/batch-decisions.js';
import { detailsOf } from './batch/batch-details.js';
import { type PayoutBatchLine, payoutBatchLine } from './payout-batch-line.js';
import { balanceProblem, coverOf, feesOf } from './policy/balance-rule.js';
import { type ResolvedBatchPolicy } from './policy/batch-policy.js';

/** More blocked lines are counted, and not listed. */
const MOST_LISTED = 1_000;

/**
 * What the check of a batch found.
 *
 * @publicApi
 */
export interface BatchCheckReport {
  /** Number of all lines. */
  readonly lines: number;
  /** Sum of all lines: two-decimal string in TZS. Fees come on top. */
  readonly amount: string;
  /** The most that the fees of what is to be paid are by the policy's `feePerPayout`; absent without it. */
  readonly fees?: string;
  /** Number of the lines that somebody has to look at. */
  readonly blocked: number;
  /** The first 1,000 of them. */
  readonly blockedLines: readonly PayoutBatchLine[];
  /** `available_balance` of the wallet: two-decimal string in TZS. */
  readonly balance: string;
  /** Why the wallet does not cover what is to be paid, as a sentence; absent if it does. */
  readonly balanceProblem?: string;
}

export async function checkReport(
  { store, services }: BatchAccount,
  record: BatchRecord,
  policy: ResolvedBatchPolicy,
): Promise<BatchCheckReport> {
  const { lines, cents } = detailsOf(record);
  const [counts, { available_balance: balance }] = await Promise.all([
    store.counts(record.load),
    services.wallet.balance(),
  ]);
  const blockedLines: PayoutBatchLine[] = [];
  for await (const page of linePages(store, record.load, ['blocked'])) {
    blockedLines.push(...page.map((line) => payoutBatchLine(record.batch, line)));
    if (blockedLines.length >= MOST_LISTED) break;
  }
  const cover = coverOf(balance, counts);
  const problem = balanceProblem(cover, policy);
  return {
    lines,
    amount: formatCents(BigInt(cents)),
    ...(policy.feeCents > 0n && { fees: formatCents(feesOf(cover, policy)) }),
    blocked: linesIn(counts, 'blocked'),
    blockedLines,
    balance,
    ...(problem !== undefined && { balanceProblem: problem }),
  };
}

/** The error of a check that stopped before its end. */
export async function checkStopped({ store }: BatchAccount, record: BatchRecord): Promise<PaymentsError> {
  let reason = 'the gateway gave no usable answer';
  for await (const events of eventPages(store, record)) {
    for (const { action, details } of events) {
      if (action === 'check-stop') reason = String((JSON.parse(details) as { reason?: unknown }).reason);
    }
  }
  return new PaymentsError(
    'BATCH_CHECK',
    `The check stopped, and continues when you call check() again: ${reason}`,
  );
}
