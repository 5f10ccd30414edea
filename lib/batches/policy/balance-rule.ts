import { formatCents, parseCents } from '../../common/money.js';
import { type LineCount, type LineState } from '../../storage/batch-store.js';
import { type ResolvedBatchPolicy } from './batch-policy.js';

/** What the wallet holds, and what is to be paid, in hundredths of TZS. */
interface BalanceCover {
  readonly availableCents: bigint;
  readonly neededCents: bigint;
  /** How many payouts are to be paid. */
  readonly payouts: number;
}

const TO_PAY: readonly LineState[] = ['waiting', 'checked', 'sending'];

/** @param available `available_balance` of the wallet. */
export function coverOf(available: string, counts: readonly LineCount[]): BalanceCover {
  const open = counts.filter(({ state }) => TO_PAY.includes(state));
  return {
    availableCents: parseCents(available) ?? 0n,
    neededCents: open.reduce((sum, { cents }) => sum + cents, 0n),
    payouts: open.reduce((sum, { lines }) => sum + lines, 0),
  };
}

/** The most that the gateway charges for payouts, as far as the policy says it. */
export function feesOf(
  { payouts }: Pick<BalanceCover, 'payouts'>,
  { feeCents }: Pick<ResolvedBatchPolicy, 'feeCents'>,
): bigint {
  return BigInt(payouts) * feeCents;
}

/** Why the wallet does not cover a batch, as a sentence; undefined if it does. */
export function balanceProblem(
  cover: BalanceCover,
  policy: Pick<ResolvedBatchPolicy, 'minimumCents' | 'feeCents'>,
): string | undefined {
  const { availableCents, neededCents } = cover;
  const { minimumCents } = policy;
  const feesCents = feesOf(cover, policy);
  const missing = neededCents + feesCents + minimumCents - availableCents;
  if (missing <= 0n) return undefined;
  const fees = feesCents > 0n ? ` with fees of up to ${formatCents(feesCents)}` : '';
  const floor = minimumCents > 0n ? `, and ${formatCents(minimumCents)} must be left` : '';
  return (
    `TZS ${formatCents(neededCents)} are to be paid${fees}${floor}, but the wallet holds ${formatCents(availableCents)}: ` +
    `top up ${formatCents(missing)}${feesCents > 0n ? '' : ' and the fees'}.`
  );
}
