import { ageProblem } from '../common/milliseconds.js';
import { FINAL_STATUSES } from '../common/vocabulary.js';
import { type ReconciliationKind } from '../storage/reconciliation-store.js';
import { type ReconciledAccount } from './reconciled-accounts.js';
import { closedDayOf, lastStoredClose } from './close/close-entry.js';

const LEAST_MS = 30 * 86_400_000;

/** What may be forgotten, and in which states. The last close needs what is `kept`. */
const FORGOTTEN: readonly (readonly [ReconciliationKind, readonly string[]])[] = [
  ['balance', ['asked', 'read']],
  ['exception', ['settled']],
  ['evidence', [...FINAL_STATUSES.collection, ...FINAL_STATUSES.disbursement]],
];
const KEPT: readonly ReconciliationKind[] = ['carried', 'proposals'];

export function purgeProblem(olderThanMs: unknown): string | undefined {
  return ageProblem('olderThanMs', olderThanMs, { leastMs: LEAST_MS });
}

/** Returns how many entries were forgotten. */
export async function purgeEntries(
  { store, scope }: Pick<ReconciledAccount, 'store' | 'scope'>,
  olderThanMs: number,
): Promise<number> {
  const last = await lastStoredClose({ store, scope });
  // If nobody has closed a day for that long, what the last close left is as old, and still needed.
  const isRecent = last && last.now - closedDayOf(last).summary.closedAt.getTime() < olderThanMs;
  const kept = KEPT.map((kind) => [kind, ['kept']] as const);
  let purged = 0;
  for (const [kind, states] of [...FORGOTTEN, ...(isRecent ? kept : [])]) {
    purged += await store.purge(scope, kind, states, olderThanMs);
  }
  return purged;
}
