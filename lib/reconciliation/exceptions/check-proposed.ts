import { isRecord } from '../../common/json-object.js';
import { quoted } from '../../common/quoted.js';
import { PaymentsValidationError } from '../../errors/payments-errors.js';
import { type StoredReconciliationEntry } from '../../storage/reconciliation-store.js';
import { inPieces } from '../../common/in-pieces.js';
import { type ReconciledAccount } from '../reconciled-accounts.js';
import { type ProvenRow } from '../matching/proven-row.js';
import { type CloseProposal } from './close-exception.js';
import { detailsOf } from './exception-entry.js';
import { isOfClose, type KnownCloses } from './known-closes.js';

/** Lists do not name it. Nor do entries of earlier versions, whose proposals of a later attempt are refused. */
const FIRST_ATTEMPT = 1;

const TEXTS = ['account', 'day', 'statement', 'family', 'reference', 'outcome'] as const;

/** What the closes know of a proposal, and the proposal does not say. */
export interface KnownProposal {
  /** The day whose close read the row. */
  readonly readOn: string;
  /** The attempt that the row is about. */
  readonly attempt: number;
}

/**
 * Compares proposals with the closes that they name. Only those of long lists are kept in memory, by their keys.
 *
 * @throws PaymentsValidationError if something is not proposed by a close of the account.
 */
export async function checkProposed(
  account: Pick<ReconciledAccount, 'store' | 'scope'>,
  proposals: readonly CloseProposal[],
  closes: KnownCloses,
): Promise<(proposal: CloseProposal) => KnownProposal> {
  checkForm(proposals);
  for (const proposal of proposals) checkAccount(proposal, account.scope.account);
  const known = await checkLists(
    proposals.filter(({ exception }) => exception === undefined),
    closes,
  );
  const ofExceptions = proposals.filter(({ exception }) => exception !== undefined);
  const checked = inPieces(ofExceptions, (proposal) => checkException(account, proposal, closes));
  for await (const piece of checked) {
    for (const [proposal, attempt] of piece)
      known.set(nameOf(proposal), { readOn: proposal.day, attempt: attempt ?? FIRST_ATTEMPT });
  }
  return (proposal) =>
    (known.size > 0 ? known.get(nameOf(proposal)) : undefined) ?? {
      readOn: proposal.day,
      attempt: FIRST_ATTEMPT,
    };
}

function checkAccount({ account, reference }: CloseProposal, own: string): void {
  if (account === own) return;
  throw wrong(
    `the proposal of ${quoted(reference)} is of the account ${quoted(account)}, and not of ${quoted(own)}: name that account in apply(), and apply the proposals of each account in a call of its own`,
  );
}

async function checkException(
  { store, scope }: Pick<ReconciledAccount, 'store' | 'scope'>,
  proposal: CloseProposal,
  closes: KnownCloses,
): Promise<number | undefined> {
  const stored = await store.get(scope, 'exception', proposal.exception ?? '');
  const isProposed = stored && agrees(stored, proposal) && (await isOfClose(stored, closes));
  if (!isProposed) throw notProposed(proposal);
  return detailsOf(stored).attempt;
}

function agrees(stored: StoredReconciliationEntry, proposal: CloseProposal): boolean {
  const { day, family, reference, proves, theirs } = detailsOf(stored);
  return (
    day === proposal.day &&
    family === proposal.family &&
    reference === proposal.reference &&
    proves === proposal.outcome &&
    theirs?.row === proposal.row
  );
}

/** Reads the lists of each day once. Returns what is not the usual: rows that an earlier close read, and of later attempts. */
async function checkLists(
  proposals: readonly CloseProposal[],
  closes: KnownCloses,
): Promise<Map<string, KnownProposal>> {
  const unusual = new Map<string, KnownProposal>();
  for (const [day, wanted] of byDay(proposals)) {
    for await (const rows of closes.proofsOf(day)) {
      for (const row of rows) {
        const isUnusual = wanted.delete(keyOf(row)) && (row.readOn ?? row.attempt) !== undefined;
        const { readOn = day, attempt = FIRST_ATTEMPT } = row;
        if (isUnusual) unusual.set(`${day} ${keyOf(row)} `, { readOn, attempt });
      }
      if (wanted.size === 0) break;
    }
    const [missing] = wanted;
    const proposal = missing && proposals.find((one) => one.day === day && keyOf(one) === missing);
    if (proposal) throw notProposed(proposal);
  }
  return unusual;
}

function byDay(proposals: readonly CloseProposal[]): ReadonlyMap<string, Set<string>> {
  const days = new Map<string, Set<string>>();
  for (const proposal of proposals) {
    const keys = days.get(proposal.day) ?? new Set();
    days.set(proposal.day, keys.add(keyOf(proposal)));
  }
  return days;
}

/** Of a day and of an exception, if it has one. */
function nameOf(proposal: CloseProposal): string {
  return `${proposal.day} ${keyOf(proposal)} ${proposal.exception ?? ''}`;
}

function keyOf({ family, reference, outcome, row }: Omit<ProvenRow, 'at'>): string {
  return `${family} ${outcome} ${row} ${reference}`;
}

function checkForm(proposals: unknown): void {
  const isList = Array.isArray(proposals) && proposals.every(isProposal);
  if (isList) return;
  throw wrong(
    'proposals must be those of a close: write reconciliation.apply(close.proposals, { by: user.id })',
  );
}

function isProposal(proposal: unknown): boolean {
  return (
    isRecord(proposal) &&
    TEXTS.every((field) => typeof proposal[field] === 'string') &&
    /^\d{4}-\d\d-\d\d$/.test(String(proposal['day'])) &&
    (proposal['exception'] === undefined || typeof proposal['exception'] === 'string') &&
    typeof proposal['row'] === 'number'
  );
}

function notProposed({ day, reference, outcome, row }: CloseProposal): PaymentsValidationError {
  return wrong(
    `the close of ${day} does not propose that ${quoted(reference)} is ${quoted(outcome)} by row ${row}: take the proposals as open('${day}') gives them`,
  );
}

function wrong(problem: string): PaymentsValidationError {
  return new PaymentsValidationError({ proposals: [problem] });
}
