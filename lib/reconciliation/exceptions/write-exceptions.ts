import { pages } from '../../common/pages.js';
import { failedSend } from '../../journal/payment/repeated-call.js';
import {
  type ReconciliationEntry,
  type ReconciliationStore,
  type StoredReconciliationEntry,
} from '../../storage/reconciliation-store.js';
import { type ReconciledAccount } from '../reconciled-accounts.js';
import { type Finding } from '../matching/finding.js';
import { hasOutcome, type JournalPayment, journalPayment } from '../matching/journal-payment.js';
import { type ProvenRow } from '../matching/proven-row.js';
import { type ExceptionKind, takesProof } from './close-exception.js';
import {
  attemptName,
  detailsOf,
  endedOn,
  exceptionEntry,
  type ExceptionDetails,
  type ExceptionPlace,
  findingName,
  isProposing,
} from './exception-entry.js';
import { isOfClose, type KnownCloses } from './known-closes.js';

const PAGE = 1_000;
/** They are found again by every close for which they are still true. */
const FOUND_AGAIN: ReadonlySet<ExceptionKind> = new Set(['missing-there', 'unknown', 'unproven']);
/** They end when the journal holds the outcome. */
const ENDED_BY_OUTCOME: ReadonlySet<ExceptionKind> = new Set(['proven', 'status']);

/** What a close found, and what it proves. */
interface FoundExceptions {
  readonly findings: readonly Finding[];
  readonly proofs: Iterable<ProvenRow>;
}

/** What a run works with. */
export interface WritingRun {
  readonly closes: KnownCloses;
  /** Shows that the run is alive. */
  readonly goOn: () => Promise<void> | undefined;
}

/** What is open after a close. */
interface OpenExceptions {
  readonly counts: Readonly<Partial<Record<ExceptionKind, number>>>;
  /** What the statement proves of payments without an exception. */
  readonly proposals: Iterable<ProvenRow>;
  /** What becomes of exceptions of earlier closes once the day is closed. */
  readonly changes: ExceptionChanges;
}

/** Changes of exceptions that are there already. */
interface ExceptionChanges {
  /** They are true no longer. */
  readonly over: readonly StoredReconciliationEntry[];
  /** A row says the contrary of what theirs proves: they stay, and propose nothing any more. */
  readonly withdrawn: readonly StoredReconciliationEntry[];
  /** What would explain the balance is another thing every day. */
  readonly hints: readonly (readonly [StoredReconciliationEntry, hint: string | undefined])[];
  /** Runs that did not close their day have left them. */
  readonly orphans: readonly StoredReconciliationEntry[];
}

/**
 * Writes the exceptions of a run down. Nobody sees them until the run has closed its day, and it changes nothing that others
 * see: it may have been overtaken, or die.
 */
export async function writeExceptions(
  account: Pick<ReconciledAccount, 'store' | 'journal' | 'scope'>,
  place: ExceptionPlace,
  { findings, proofs }: FoundExceptions,
  run: WritingRun,
): Promise<OpenExceptions> {
  const { store } = account;
  const { left, orphans } = await openEntries(account, run);
  const ofFindings = proofsOf(findings, proofs);
  const counts: Partial<Record<ExceptionKind, number>> = {};
  const hints: [StoredReconciliationEntry, string | undefined][] = [];
  const added: ReconciliationEntry[] = [];
  const named = new Map<string, number>();
  for (const finding of findings) {
    const name = foundAgainName(finding.kind, { ...finding, attempt: finding.own?.attempt });
    const known = left.get(name);
    if (known) {
      left.delete(known.entry.id);
      left.delete(name);
      if (detailsOf(known).hint !== finding.hint) hints.push([known, finding.hint]);
    } else {
      const before = named.get(findingName(finding)) ?? 0;
      named.set(findingName(finding), before + 1);
      added.push(exceptionEntry(place, finding, ofFindings.get(finding)?.outcome, before));
    }
    if (known?.entry.state !== 'explained') counts[finding.kind] = (counts[finding.kind] ?? 0) + 1;
  }
  for (let start = 0; start < added.length; start += PAGE) {
    await store.add(added.slice(start, start + PAGE));
    await run.goOn();
  }
  const { over, withdrawn } = await endings(account, place, { findings, left, counts }, run);
  const taken = new Set([...ofFindings.values()].map(rowOf));
  const proposals = { [Symbol.iterator]: () => without(proofs, taken) };
  return { counts, proposals, changes: { over, withdrawn, hints, orphans } };
}

/** What becomes of earlier exceptions that the close did not find again. Counts those that stay open. */
async function endings(
  account: Pick<ReconciledAccount, 'journal' | 'scope'>,
  place: ExceptionPlace,
  { findings, left, counts }: EarlierExceptions,
  { goOn }: WritingRun,
): Promise<Pick<ExceptionChanges, 'over' | 'withdrawn'>> {
  const earlier = [...new Set(left.values())];
  const contradicted = contradictedAttempts(findings, earlier);
  const over: StoredReconciliationEntry[] = [];
  const withdrawn: StoredReconciliationEntry[] = [];
  for (const stored of earlier) {
    const details = detailsOf(stored);
    if (await isOver(account, place, stored)) over.push(stored);
    else {
      if (stored.entry.state === 'open') counts[details.kind] = (counts[details.kind] ?? 0) + 1;
      if (contradicted.has(attemptName(details)) && isProposing(details)) withdrawn.push(stored);
    }
    await goOn();
  }
  return { over, withdrawn };
}

/**
 * Ends what is over, once the day is closed. If the process dies meanwhile, the next close does it. What somebody else changes
 * stays as it is.
 */
export async function changeExceptions(
  { store }: Pick<ReconciledAccount, 'store'>,
  { over, withdrawn, hints, orphans }: ExceptionChanges,
  day: string,
): Promise<void> {
  for (const stored of withdrawn) {
    const details = JSON.stringify({ ...detailsOf(stored), isWithdrawn: true });
    await store.replace(stored.version, { ...stored.entry, details });
  }
  for (const stored of [...over, ...orphans]) await settleException(store, stored, day);
  for (const [stored, hint] of hints) {
    const details = JSON.stringify({ ...detailsOf(stored), hint });
    await store.replace(stored.version, { ...stored.entry, details });
  }
}

/** Ends an exception. False if somebody else has changed it: then it stays as it is. */
export async function settleException(
  store: ReconciliationStore,
  stored: StoredReconciliationEntry,
  until: string,
): Promise<boolean> {
  const settled = await store.replace(stored.version, {
    ...stored.entry,
    state: 'settled',
    details: JSON.stringify(endedOn(detailsOf(stored), until)),
  });
  return settled !== undefined;
}

interface EarlierExceptions {
  readonly findings: readonly Finding[];
  readonly left: OpenEntries['left'];
  readonly counts: Partial<Record<ExceptionKind, number>>;
}

interface OpenEntries {
  /** Open and explained exceptions by their id, and by kind and payment if a later close finds them again. */
  readonly left: Map<string, StoredReconciliationEntry>;
  readonly orphans: readonly StoredReconciliationEntry[];
}

async function openEntries(
  { store, scope }: Pick<ReconciledAccount, 'store' | 'scope'>,
  { closes, goOn }: WritingRun,
): Promise<OpenEntries> {
  const left = new Map<string, StoredReconciliationEntry>();
  const orphans: StoredReconciliationEntry[] = [];
  const read = (last?: StoredReconciliationEntry): Promise<readonly StoredReconciliationEntry[]> =>
    store.list(scope, 'exception', {
      states: ['open', 'explained'],
      limit: PAGE,
      ...(last && { after: last.entry.id }),
    });
  for await (const page of pages(PAGE, read)) {
    for (const stored of page) {
      const details = detailsOf(stored);
      if (await isOfClose(stored, closes)) {
        left.set(stored.entry.id, stored);
        if (FOUND_AGAIN.has(details.kind)) left.set(foundAgainName(details.kind, details), stored);
      } else orphans.push(stored);
    }
    await goOn();
  }
  return { left, orphans };
}

async function isOver(
  { journal, scope }: Pick<ReconciledAccount, 'journal' | 'scope'>,
  { statement }: ExceptionPlace,
  stored: StoredReconciliationEntry,
): Promise<boolean> {
  const details = detailsOf(stored);
  const { kind, family, reference } = details;
  if (!(FOUND_AGAIN.has(kind) || ENDED_BY_OUTCOME.has(kind)) || !family || reference === undefined)
    return false;
  const record = await journal.get({ ...scope, family, reference });
  // A person has to say what became of a payment that the journal has forgotten.
  if (!record) return false;
  return isOverBy(journalPayment(record), details, statement !== undefined);
}

/** Whether an exception is over by what the journal says now. */
function isOverBy(own: JournalPayment, details: ExceptionDetails, hasStatement: boolean): boolean {
  const { kind, proves, attempt, theirs } = details;
  const { state, attempt: last, family } = own;
  // Another attempt begins only when the one before moved nothing. Earlier versions did not write down which one it was.
  if (attempt !== undefined && last > attempt) return FOUND_AGAIN.has(kind) || proves === 'failed';
  if (proves === 'failed' && theirs && failedSend(own, theirs.at) !== 'last') return true;
  if (kind === 'unknown') return true;
  if (kind === 'missing-there') return hasStatement || state !== 'moved';
  // Without a statement nothing looks for the end of a payout.
  if (kind === 'unproven') return hasStatement || family === 'collection' || state !== 'accepted';
  return isEndedByOutcome(own, details);
}

/** Whether the journal holds an outcome that leaves nothing to say of a row. */
function isEndedByOutcome(own: JournalPayment, details: ExceptionDetails): boolean {
  const { proves, isContradiction, isWithdrawn, theirs } = details;
  const isDoubt = isContradiction || isWithdrawn || (proves === undefined && theirs?.isFailed);
  // Whatever was written down since decides between two rows that contradict each other, and of which attempt a failure was.
  if (isDoubt) return hasOutcome(own) && own.status !== details.own?.status;
  return proves !== undefined && own.state === (proves === 'failed' ? 'none' : 'moved');
}

/** The attempts of which two rows say the contrary: what the statement shows, and what is known of earlier ones. */
function contradictedAttempts(
  findings: readonly Finding[],
  earlier: Iterable<StoredReconciliationEntry>,
): ReadonlySet<string> {
  const names = new Set<string>();
  for (const { contradicts, family, reference, own } of findings)
    if (contradicts === 'row') names.add(attemptName({ family, reference, attempt: own?.attempt }));
  for (const stored of earlier) {
    const details = detailsOf(stored);
    if (details.isContradiction) names.add(attemptName(details));
  }
  return names;
}

/** What the statement proves of findings. The first one of a payment that ends with it takes it. Nearly no proof belongs to any. */
function proofsOf(
  findings: readonly Finding[],
  proofs: Iterable<ProvenRow>,
): ReadonlyMap<Finding, ProvenRow> {
  const first = new Map<string, Finding>();
  for (const finding of findings) {
    if (!takesProof(finding.kind)) continue;
    const name = `${nameOf(finding)} ${finding.row?.row}`;
    if (!first.has(name)) first.set(name, finding);
  }
  const taken = new Map<Finding, ProvenRow>();
  if (first.size === 0) return taken;
  for (const proof of proofs) {
    const finding = first.get(rowOf(proof));
    if (finding) taken.set(finding, proof);
  }
  return taken;
}

function* without(
  proofs: Iterable<ProvenRow>,
  taken: ReadonlySet<string>,
): Generator<ProvenRow, void, undefined> {
  for (const proof of proofs) if (taken.size === 0 || !taken.has(rowOf(proof))) yield proof;
}

/** The row of an earlier statement is none of those that were read now. */
function rowOf(proof: ProvenRow): string {
  return proof.readOn === undefined ? `${nameOf(proof)} ${proof.row}` : '';
}

/** Another attempt is another exception: what a person said of the one before explains nothing of it. */
function foundAgainName(kind: ExceptionKind, of: Parameters<typeof attemptName>[0]): string {
  return `${kind} ${attemptName(of)}`;
}

function nameOf({ family, reference }: Partial<Pick<Finding, 'family' | 'reference'>>): string {
  return `${family} ${reference}`;
}
