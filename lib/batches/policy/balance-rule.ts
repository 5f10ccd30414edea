import { formatCents, parseCents } from '../../common/money.js';
import { type LineCount, type LineState } from '../../storage/batch-store.js';
import { type ResolvedBatchPolicy } from './batch-policy.js';

/** What the wallet holds, and what is to be paid, in hundredths of TZS. */
export interface BalanceCover {
  readonly availableCents: bigint;
  readonly neededCents: bigint;
}

const TO_PAY: readonly LineState[] = ['waiting', 'checked', 'sending'];

/** @param available `available_balance` of the wallet. */
export function coverOf(available: string, counts: readonly LineCount[]): BalanceCover {
  const open = counts.filter(({ state }) => TO_PAY.includes(state));
  return {
    availableCents: parseCents(available) ?? 0n,
    neededCents: open.reduce((sum, { cents }) => sum + cents, 0n),
  };
}

/** Why the wallet does not cover a batch, as a sentence; undefined if it does. Fees come on top: nobody knows them before. */
export function balanceProblem(
  { availableCents, neededCents }: BalanceCover,
  { minimumCents }: Pick<ResolvedBatchPolicy, 'minimumCents'>,
): string | undefined {
  const missing = neededCents + minimumCents - availableCents;
  if (missing <= 0n) return undefined;
  const floor = minimumCents > 0n ? `, and ${formatCents(minimumCents)} must be left` : '';
  return (
    `TZS ${formatCents(neededCents)} are to be paid${floor}, but the wallet holds ${formatCents(availableCents)}: ` +
    `top up ${formatCents(missing)} and the fees.`
  );
}
