import { createHash } from 'node:crypto';
import { formatCents } from '../../common/money.js';
import { type PaymentFamily, type PaymentOutcome, type InboxScope } from '../../common/vocabulary.js';
import {
  type ReconciliationEntry,
  type StoredReconciliationEntry,
} from '../../storage/reconciliation-store.js';
import { type Finding } from '../matching/finding.js';
import { type JournalPayment } from '../matching/journal-payment.js';
import { type ProvenRow } from '../matching/proven-row.js';
import { type RowMoney } from '../matching/classify-payment.js';
import {
  type CloseException,
  type CloseProposal,
  type ExceptionKind,
  type ExceptionState,
  type OwnSide,
  type StatementSide,
} from './close-exception.js';
import { reasonOf } from './reason.js';

const LONGEST_REFERENCE = 255;

/** What the storage keeps of an exception. Times are milliseconds since 1970. */
export interface ExceptionDetails {
  /** The run that has written it. Only what the run that closed the day has written is an exception. */
  readonly token: string;
  readonly kind: ExceptionKind;
  readonly day: string;
  readonly reason: string;
  readonly family?: PaymentFamily | undefined;
  readonly reference?: string | undefined;
  readonly own?: (Omit<OwnSide, 'createdAt'> & { readonly createdAt: number }) | undefined;
  readonly theirs?: (Omit<StatementSide, 'at'> & { readonly at: number }) | undefined;
  /** The last attempt when it was found; absent without a payment, and in entries of earlier versions. */
  readonly attempt?: number | undefined;
  /** The row says the contrary of another one about the same attempt: nothing that they prove is applied. */
  readonly isContradiction?: true | undefined;
  /** How the row proves that the payment ended. */
  readonly proves?: PaymentOutcome | undefined;
  /** Another row says the contrary, so nothing is proposed any more. */
  readonly isWithdrawn?: true | undefined;
  readonly hint?: string | undefined;
  readonly note?: { readonly by: string; readonly text: string; readonly at: number } | undefined;
  /** The first day whose close does not show it. */
  readonly until?: string | undefined;
}

/** What the entries of a close have in common. */
export interface ExceptionPlace {
  readonly scope: InboxScope;
  readonly day: string;
  /** The name of the statement; undefined without one. */
  readonly statement: string | undefined;
  /** Names the run. */
  readonly token: string;
}

/** Rows that nobody knows, repeated ones, and those that contradict differ by their place in the statement alone. */
const BY_ROW: ReadonlySet<ExceptionKind> = new Set(['duplicate', 'missing-here', 'status']);

/** Names a finding. Rows that have the same place, as those of two files may, have the same name. */
export function findingName({ kind, family, reference, row }: Finding): string {
  return JSON.stringify([kind, family, reference, BY_ROW.has(kind) ? row?.row : undefined]);
}

/**
 * The entry of a finding. No other run writes an entry with its id, so a run that was overtaken changes nothing of another one.
 *
 * @param sameName How many findings of the run have had its name before.
 */
export function exceptionEntry(
  { scope, day, statement, token }: ExceptionPlace,
  finding: Finding,
  proves: PaymentOutcome | undefined,
  sameName: number,
): ReconciliationEntry {
  const { kind, family, reference, own, row, hint } = finding;
  const details: ExceptionDetails = {
    token,
    kind,
    day,
    reason: reasonOf(finding),
    family,
    reference: reference === undefined ? undefined : clipped(reference),
    own: own && ownSide(own),
    theirs: row && statementSide(row, statement ?? ''),
    attempt: own?.attempt,
    isContradiction: finding.contradicts === 'row' || undefined,
    proves,
    hint,
  };
  const name = `${findingName(finding)}${sameName === 0 ? '' : ` ${sameName}`}`;
  const hash = createHash('sha256').update(name).digest('hex');
  const id = `${day}.${kind}.${hash.slice(0, 16)}.${token.replaceAll('-', '').slice(0, 12)}`;
  return { ...scope, kind: 'exception', id, state: 'open', details: JSON.stringify(details) };
}

export function detailsOf({ entry }: StoredReconciliationEntry): ExceptionDetails {
  return JSON.parse(entry.details) as ExceptionDetails;
}

/** Names an attempt of a payment. Entries of earlier versions do not say which one they are about: they are taken as the first. */
export function attemptName({
  family,
  reference,
  attempt = 1,
}: {
  readonly family?: PaymentFamily | undefined;
  readonly reference?: string | undefined;
  readonly attempt?: number | undefined;
}): string {
  return `${family} ${attempt} ${reference}`;
}

/** Whether what the row proves may be applied. */
export function isProposing({ proves, isWithdrawn }: ExceptionDetails): boolean {
  return proves !== undefined && !isWithdrawn;
}

/** Closes that showed an exception continue showing it, and the others continue without it: the first end stays. */
export function endedOn(details: ExceptionDetails, until: string): ExceptionDetails {
  return { ...details, until: details.until ?? until };
}

/** An exception as people see it. */
export function exceptionOf(stored: StoredReconciliationEntry, cutOff: number): CloseException {
  const { id, state, account } = stored.entry;
  const details = detailsOf(stored);
  const { kind, day, reason, family, reference, own, theirs, proves, hint, note } = details;
  // A person may have explained that the row is wrong.
  const hasProposal = state === 'open' && isProposing(details);
  const proposal =
    hasProposal && proves && family && reference !== undefined && theirs
      ? proposalOf(
          { account, day, statement: theirs.statement, exception: id },
          { family, reference, outcome: proves, row: theirs.row },
        )
      : undefined;
  return {
    id,
    kind,
    state: state as ExceptionState,
    day,
    reason,
    family,
    reference,
    own: own && { ...own, createdAt: new Date(own.createdAt) },
    theirs: theirs && { ...theirs, at: new Date(theirs.at) },
    ageMs: Math.max(0, cutOff - (own?.createdAt ?? theirs?.at ?? cutOff)),
    proposal,
    hint,
    note: note && { ...note, at: new Date(note.at) },
  };
}

/** The proposal of a row. */
export function proposalOf(
  place: Pick<CloseProposal, 'account' | 'day' | 'statement' | 'exception'>,
  { family, reference, outcome, row }: Omit<ProvenRow, 'at'>,
): CloseProposal {
  const { account, day, statement, exception } = place;
  return { account, day, statement, exception, family, reference, outcome, row };
}

/** No payment has a longer one, but a row may: a text of a database holds 64 kB. */
function clipped(reference: string): string {
  return reference.length <= LONGEST_REFERENCE ? reference : `${reference.slice(0, LONGEST_REFERENCE)}…`;
}

function ownSide({ status, cents, feeCents, createdAt }: JournalPayment): ExceptionDetails['own'] {
  return { status, amount: written(cents) ?? '', fee: written(feeCents), createdAt };
}

function statementSide(
  { row, kind, cents, feeCents, at, isFailed }: RowMoney,
  statement: string,
): ExceptionDetails['theirs'] {
  return { statement, row, kind, amount: written(cents) ?? '', fee: written(feeCents), at, isFailed };
}

function written(cents: number | undefined): string | undefined {
  return cents === undefined ? undefined : formatCents(BigInt(cents));
}
