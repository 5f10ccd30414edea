import { pages } from '../../common/pages.js';
import {
  type ReconciliationEntry,
  type ReconciliationStore,
  type StoredReconciliationEntry,
} from '../../storage/reconciliation-store.js';
import { type ReconciledAccount } from '../accounts.js';
import { type Finding } from '../matching/finding.js';
import { ownPayment } from '../matching/own-payment.js';
import { type ProvenRow } from '../matching/proven-row.js';
import { type ExceptionKind } from './close-exception.js';
import { detailsOf, endedOn, exceptionEntry, type ExceptionPlace } from './exception-entry.js';

const PAGE = 1_000;
/** They are found again by every close for which they are still true. */
const FOUND_AGAIN: ReadonlySet<ExceptionKind> = new Set(['missing-there', 'unknown', 'unproven']);
/** They end when the journal holds the outcome. */
const ENDED_BY_OUTCOME: ReadonlySet<ExceptionKind> = new Set(['proven', 'status']);

/** What a close found, and what it proves. */
export interface FoundExceptions {
  readonly findings: readonly Finding[];
  readonly proofs: readonly ProvenRow[];
}

/** What is open after a close. */
export interface OpenExceptions {
  readonly counts: Readonly<Partial<Record<ExceptionKind, number>>>;
  /** What the statement proves of payments without an exception. */
  readonly proposals: readonly ProvenRow[];
}

/** Writes the exceptions of a close down, and ends those of earlier closes that are true no longer. It may be done again. */
export async function writeExceptions(
  account: Pick<ReconciledAccount, 'store' | 'journal' | 'scope'>,
  place: ExceptionPlace,
  { findings, proofs }: FoundExceptions,
): Promise<OpenExceptions> {
  const { store } = account;
  const left = await openEntries(account);
  const ofFindings = proofsOf(findings, proofs);
  const counts: Partial<Record<ExceptionKind, number>> = {};
  const added: ReconciliationEntry[] = [];
  for (const finding of findings) {
    const name = nameOf(finding);
    const entry = exceptionEntry(place, finding, ofFindings.get(finding)?.outcome);
    const known = left.get(entry.id) ?? left.get(`${finding.kind} ${name}`);
    if (known) {
      left.delete(known.entry.id);
      left.delete(`${finding.kind} ${name}`);
      await updateHint(store, known, finding.hint);
    } else added.push(entry);
    if (known?.entry.state !== 'explained') counts[finding.kind] = (counts[finding.kind] ?? 0) + 1;
  }
  for (let start = 0; start < added.length; start += PAGE) await store.add(added.slice(start, start + PAGE));
  for (const stored of new Set(left.values())) {
    const { kind } = detailsOf(stored);
    if (await isOver(account, place, stored)) await settleException(store, stored, place.day);
    else if (stored.entry.state === 'open') counts[kind] = (counts[kind] ?? 0) + 1;
  }
  const taken = new Set(ofFindings.values());
  return { counts, proposals: proofs.filter((proof) => !taken.has(proof)) };
}

/** What would explain the balance is another thing every day. */
async function updateHint(
  store: ReconciliationStore,
  stored: StoredReconciliationEntry,
  hint: string | undefined,
): Promise<void> {
  const details = detailsOf(stored);
  if (details.hint === hint) return;
  await store.replace(stored.version, { ...stored.entry, details: JSON.stringify({ ...details, hint }) });
}

/** Ends an exception. Somebody else may have changed it: then it stays as it is. */
export async function settleException(
  store: ReconciliationStore,
  stored: StoredReconciliationEntry,
  until: string,
): Promise<void> {
  await store.replace(stored.version, {
    ...stored.entry,
    state: 'settled',
    details: JSON.stringify(endedOn(detailsOf(stored), until)),
  });
}

/** Open and explained exceptions by their id, and by kind and payment if a later close finds them again. */
async function openEntries({
  store,
  scope,
}: Pick<ReconciledAccount, 'store' | 'scope'>): Promise<Map<string, StoredReconciliationEntry>> {
  const open = new Map<string, StoredReconciliationEntry>();
  const read = (last?: StoredReconciliationEntry): Promise<readonly StoredReconciliationEntry[]> =>
    store.list(scope, 'exception', {
      states: ['open', 'explained'],
      limit: PAGE,
      ...(last && { after: last.entry.id }),
    });
  for await (const page of pages(PAGE, read)) {
    for (const stored of page) {
      const details = detailsOf(stored);
      open.set(stored.entry.id, stored);
      if (FOUND_AGAIN.has(details.kind)) open.set(`${details.kind} ${nameOf(details)}`, stored);
    }
  }
  return open;
}

async function isOver(
  { journal, scope }: Pick<ReconciledAccount, 'journal' | 'scope'>,
  { day, statement }: ExceptionPlace,
  stored: StoredReconciliationEntry,
): Promise<boolean> {
  const { kind, day: since, family, reference, proves } = detailsOf(stored);
  // An earlier run of the same close died after it had written this one, and now it is true no longer.
  if (since === day) return true;
  if (!(FOUND_AGAIN.has(kind) || ENDED_BY_OUTCOME.has(kind)) || !family || reference === undefined)
    return false;
  const record = await journal.get({ ...scope, family, reference });
  // A person has to say what became of a payment that the journal has forgotten.
  if (!record) return false;
  const { state } = ownPayment(record);
  if (kind === 'unknown') return true;
  if (kind === 'missing-there') return statement !== undefined || state !== 'moved';
  // Without a statement nothing looks for the end of a payout.
  if (kind === 'unproven') return statement !== undefined || family === 'collection' || state !== 'accepted';
  return proves !== undefined && state === (proves === 'failed' ? 'none' : 'moved');
}

/** What the statement proves of findings. The first one of a payment takes it. Nearly no proof belongs to any. */
function proofsOf(
  findings: readonly Finding[],
  proofs: readonly ProvenRow[],
): ReadonlyMap<Finding, ProvenRow> {
  const first = new Map<string, Finding>();
  for (const finding of findings) {
    const name = `${nameOf(finding)} ${finding.row?.row}`;
    if (!first.has(name)) first.set(name, finding);
  }
  const taken = new Map<Finding, ProvenRow>();
  for (const proof of proofs) {
    const finding = first.size > 0 ? first.get(`${nameOf(proof)} ${proof.row}`) : undefined;
    if (finding) taken.set(finding, proof);
  }
  return taken;
}

function nameOf({ family, reference }: Partial<Pick<Finding, 'family' | 'reference'>>): string {
  return `${family} ${reference}`;
}
