import { createHash, randomUUID } from 'node:crypto';
import { settleLineOf } from '../../batches/jobs/settle-line-of.js';
import { type JournalEntry } from '../../common/journal-entry.js';
import { quoted } from '../../common/quoted.js';
import { PaymentsAccountError } from '../../errors/payments-account.error.js';
import { isPaymentsError, type PaymentsError, PaymentsStorageError } from '../../errors/payments-errors.js';
import { type StoredReconciliationEntry } from '../../storage/reconciliation-store.js';
import { inPieces } from '../../common/in-pieces.js';
import { type ReconciledAccount } from '../reconciled-accounts.js';
import { checkProposed, type KnownProposal } from './check-proposed.js';
import { type CloseProposal } from './close-exception.js';
import { attemptName, detailsOf } from './exception-entry.js';
import { type KnownCloses } from './known-closes.js';
import { settleException } from './write-exceptions.js';

/** Nobody explains an exception more often at the same moment. */
const TRIES = 5;

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

/** Who applies what, and when. */
interface Applying {
  readonly by: string;
  /** By the clock of the storage. */
  readonly at: number;
  /** The first day whose close does not show the exceptions any more. */
  readonly until: string;
  readonly closes: KnownCloses;
  /** Attempts of which two rows say the contrary, as `attemptName` names them. */
  readonly contradicted: ReadonlySet<string>;
}

/**
 * Settles payments by what a statement proves.
 *
 * @throws PaymentsValidationError if something is no proposal of a close of the account; nothing was applied.
 * @throws PaymentsStorageError if the storage fails, and PaymentsAccountError if the keys of the account cannot be had, or are of
 * another environment now. Whatever was applied stays, and may be applied again.
 */
export async function applyProposals(
  account: ReconciledAccount,
  proposals: readonly CloseProposal[],
  applying: Applying,
): Promise<ApplyReport> {
  const knownOf = await checkProposed(account, proposals, applying.closes);
  const refused: RefusedProposal[] = [];
  const applied = inPieces(proposals, (proposal) => applyOne(account, proposal, knownOf(proposal), applying));
  for await (const piece of applied) {
    for (const [proposal, reason] of piece) if (reason !== undefined) refused.push({ proposal, reason });
  }
  return { settled: proposals.length - refused.length, refused };
}

/** Returns why it was refused; undefined if it was not. */
async function applyOne(
  account: ReconciledAccount,
  proposal: CloseProposal,
  { readOn, attempt }: KnownProposal,
  applying: Applying,
): Promise<string | undefined> {
  const { store, scope, services, events } = account;
  const { family, reference, outcome, exception } = proposal;
  const stored = exception === undefined ? undefined : await store.get(scope, 'exception', exception);
  const isContradicted = applying.contradicted.has(attemptName({ family, reference, attempt }));
  const problem = problemOf(proposal, stored, isContradicted);
  // The reference may have a new attempt since, of which the row says nothing.
  if (problem !== undefined && (await services.journal.get(family, reference))?.outcome !== outcome)
    return problem;
  let entry: JournalEntry;
  try {
    entry = await services.journal.settle(family, reference, outcome, {
      attempt,
      failedAt: failedAtOf(stored),
    });
  } catch (error) {
    if (!isPaymentsError(error) || endsAll(error)) throw error;
    return refusalOf(error, quoted(reference), attempt);
  }
  const isNew = await keepEvidence(account, { proposal, stored, readOn, attempt }, applying);
  const { by, until } = applying;
  try {
    await settleLine(account, entry, by);
    if (stored && stored.entry.state !== 'settled') await endException(account, stored, until);
  } finally {
    // A later call finds the evidence, and tells nobody again.
    if (isNew)
      events.emit('reconciliation.settled', { account: scope.account, family, reference, outcome, by });
  }
  return undefined;
}

/** Whether a failure says nothing of the proposal: every other one would meet the same. */
function endsAll(error: PaymentsError): boolean {
  return error instanceof PaymentsStorageError || error instanceof PaymentsAccountError;
}

/** Why nothing settles the payment, unless it has the proposed outcome already. */
function problemOf(
  { reference, outcome }: CloseProposal,
  stored: StoredReconciliationEntry | undefined,
  isContradicted: boolean,
): string | undefined {
  const name = quoted(reference);
  if (stored?.entry.state === 'settled')
    return `The exception of ${name} has ended, and its payment is not ${outcome} now: nothing of it is left to settle.`;
  if (stored?.entry.state === 'explained')
    return `Somebody has explained the exception of ${name}, so nothing settles its payment any more: if the row is right after all, write down how it ended with PaymentsJournal.settle().`;
  if (isContradicted)
    return `Another row of a statement says the contrary of ${name}: ask the gateway, then write down how it ended with PaymentsJournal.settle().`;
  return undefined;
}

/** When the row says that no money moved. Whatever says that has an exception. */
function failedAtOf(stored: StoredReconciliationEntry | undefined): number | undefined {
  const { theirs } = (stored && detailsOf(stored)) ?? {};
  return theirs?.isFailed ? theirs.at : undefined;
}

function refusalOf(error: PaymentsError, reference: string, attempt: number): string {
  switch (error.code) {
    case 'ANOTHER_ATTEMPT':
      return `The row is about attempt ${attempt} of ${reference}, and another attempt has begun: write down how that ended with PaymentsJournal.settle().`;
    case 'SENT_AGAIN':
      return `${reference} was sent again after it had failed as the row says: ask the gateway how that ended, then write it down with PaymentsJournal.settle().`;
    default:
      return error.message;
  }
}

async function settleLine(
  { scope, services, batches }: Pick<ReconciledAccount, 'scope' | 'services' | 'batches'>,
  entry: JournalEntry,
  by: string,
): Promise<void> {
  if (!batches || entry.family !== 'disbursement') return;
  const outcome = entry.outcome === 'paid' ? 'paid' : 'failed';
  await settleLineOf(batches, services, scope, entry, { outcome, by });
}

/** Ends the exception of a payment that was settled, though somebody explains it at the same moment. */
async function endException(
  { store, scope }: Pick<ReconciledAccount, 'store' | 'scope'>,
  stored: StoredReconciliationEntry,
  until: string,
): Promise<void> {
  let current: StoredReconciliationEntry | undefined = stored;
  for (let tries = 0; tries < TRIES && current && current.entry.state !== 'settled'; tries += 1) {
    if (await settleException(store, current, until)) return;
    current = await store.get(scope, 'exception', stored.entry.id);
  }
}

/** What was applied, and by which row. */
interface AppliedRow {
  readonly proposal: CloseProposal;
  /** Its exception, if it has one. */
  readonly stored: StoredReconciliationEntry | undefined;
  /** The day whose close read the row. */
  readonly readOn: string;
  readonly attempt: number;
}

/** Keeps the row by which a payment was settled. False if it was kept before. */
async function keepEvidence(
  { store, scope }: Pick<ReconciledAccount, 'store' | 'scope'>,
  { proposal, stored, readOn, attempt }: AppliedRow,
  { by, at, closes }: Applying,
): Promise<boolean> {
  const { day, family, reference, outcome, row } = proposal;
  // A payment that was settled as failed may be made again, and be settled by another row: that is evidence of its own.
  const name = JSON.stringify([family, reference, readOn, row, outcome]);
  const id = createHash('sha256').update(name).digest('hex');
  // Somebody else may apply the same at the same moment, and the first entry stays.
  const token = randomUUID();
  const { amount, fee, at: movedAt } = (stored && detailsOf(stored).theirs) ?? {};
  const { name: statement, digest } = (await closes.of(readOn))?.statement ?? {};
  const place = { account: scope.account, day, readOn, statement, digest };
  const what = { family, reference, attempt, outcome, row, amount, fee, movedAt };
  const details = JSON.stringify({ token, ...place, ...what, by, at });
  await store.add([{ ...scope, kind: 'evidence', id, state: outcome, details }]);
  const kept = await store.get(scope, 'evidence', id);
  return kept?.entry.details.includes(token) === true;
}
