import { createHash } from 'node:crypto';
import { settleLineOf } from '../../batches/jobs/settle-line-of.js';
import { isRecord } from '../../common/json-object.js';
import {
  isPaymentsError,
  PaymentsStorageError,
  PaymentsValidationError,
} from '../../errors/payments-errors.js';
import { type ReconciledAccount } from '../accounts.js';
import { type CloseProposal } from './close-exception.js';
import { settleException } from './write-exceptions.js';

const AT_ONCE = 16;

/**
 * What became of the proposals that were applied.
 *
 * @publicApi
 */
export interface ApplyReport {
  /** How many payments have the proposed outcome now, those that had it before included. */
  readonly settled: number;
  /** What was not applied, and why. */
  readonly refused: readonly RefusedProposal[];
}

/**
 * A proposal that was not applied.
 *
 * @publicApi
 */
export interface RefusedProposal {
  /** As it was given. */
  readonly proposal: CloseProposal;
  /** For people, a whole sentence. */
  readonly reason: string;
}

/** Who applies, and after which day. */
export interface Applying {
  readonly by: string;
  /** The first day whose close does not show the exceptions any more. */
  readonly until: string;
}

/**
 * Settles payments by what a statement proves.
 *
 * @throws PaymentsValidationError if something is no proposal; nothing was applied.
 * @throws PaymentsStorageError if the storage fails. Whatever was applied stays, and may be applied again.
 */
export async function applyProposals(
  account: ReconciledAccount,
  proposals: readonly CloseProposal[],
  applying: Applying,
): Promise<ApplyReport> {
  checkProposals(proposals);
  const refused: RefusedProposal[] = [];
  for (let start = 0; start < proposals.length; start += AT_ONCE) {
    const some = proposals.slice(start, start + AT_ONCE);
    const reasons = await Promise.all(some.map((proposal) => applyOne(account, proposal, applying)));
    for (const [index, proposal] of some.entries()) {
      const reason = reasons[index];
      if (reason !== undefined) refused.push({ proposal, reason });
    }
  }
  return { settled: proposals.length - refused.length, refused };
}

/** Returns why it was refused; undefined if it was not. */
async function applyOne(
  account: ReconciledAccount,
  proposal: CloseProposal,
  { by, until }: Applying,
): Promise<string | undefined> {
  const { store, scope, services, batches, events } = account;
  const { family, reference, outcome, exception } = proposal;
  try {
    await services.journal.settle(family, reference, outcome);
  } catch (error) {
    if (!isPaymentsError(error) || error instanceof PaymentsStorageError) throw error;
    return error.message;
  }
  const id = createHash('sha256').update(`${family} ${reference}`).digest('hex');
  const details = JSON.stringify({ ...proposal, by });
  await store.add([{ ...scope, kind: 'evidence', id, state: outcome, details }]);
  if (batches && family === 'disbursement') {
    const end = { outcome: outcome === 'paid' ? 'paid' : 'failed', by } as const;
    await settleLineOf(batches, scope, reference, end);
  }
  const stored = exception === undefined ? undefined : await store.get(scope, 'exception', exception);
  if (stored && stored.entry.state !== 'settled') await settleException(store, stored, { until });
  events.tell('reconciliation.settled', { account: scope.account, family, reference, outcome, by });
  return undefined;
}

function checkProposals(proposals: unknown): void {
  const isList = Array.isArray(proposals) && proposals.every(isProposal);
  if (isList) return;
  throw new PaymentsValidationError({
    proposals: [
      'proposals must be those of a close: write reconciliation.apply(close.proposals, { by: user.id })',
    ],
  });
}

function isProposal(proposal: unknown): boolean {
  return (
    isRecord(proposal) &&
    ['family', 'reference', 'outcome'].every((field) => typeof proposal[field] === 'string') &&
    typeof proposal['row'] === 'number'
  );
}
