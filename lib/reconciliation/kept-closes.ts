import { pages } from '../common/pages.js';
import { type StoredReconciliationEntry } from '../storage/reconciliation-store.js';
import { type ReconciledAccount } from './reconciled-accounts.js';
import { type ClosedDay, closedDayOf, lastStoredClose } from './close/close-entry.js';
import { ClosedDays } from './close/closed-days.js';
import { nextDay } from './close/day.js';
import { DayClose } from './day-close.js';
import { type CloseException } from './exceptions/close-exception.js';
import { attemptName, detailsOf, exceptionOf, proposalOf } from './exceptions/exception-entry.js';
import { isOfClose, type KnownCloses } from './exceptions/known-closes.js';

const PAGE = 1_000;

/** A close with what became of its exceptions since. */
export async function dayCloseOf(account: ReconciledAccount, closed: ClosedDay): Promise<DayClose> {
  const { summary } = closed;
  const closes = new ClosedDays(account);
  const exceptions: CloseException[] = [];
  for await (const stored of entriesOf(account, closes)) {
    const { day, until } = detailsOf(stored);
    const isShown = day <= summary.day && (until === undefined || until > summary.day);
    if (isShown) exceptions.push(exceptionOf(stored, summary.to.getTime()));
  }
  const proposals = exceptions.flatMap(({ proposal }) => (proposal ? [proposal] : []));
  const place = { account: account.scope.account, day: summary.day, exception: undefined };
  const own = { ...place, statement: summary.statement?.name ?? '' };
  for await (const rows of closes.proofsOf(summary.day)) {
    for (const row of rows) {
      const earlier = row.readOn === undefined ? undefined : await closes.of(row.readOn);
      proposals.push(proposalOf(earlier ? { ...place, statement: earlier.statement?.name ?? '' } : own, row));
    }
  }
  return new DayClose(summary, exceptions, proposals);
}

/** The exceptions of an account. */
export async function* entriesOf(
  { store, scope }: ReconciledAccount,
  closes: KnownCloses,
  states?: readonly string[],
): AsyncGenerator<StoredReconciliationEntry, void, undefined> {
  const read = (last?: StoredReconciliationEntry): Promise<readonly StoredReconciliationEntry[]> =>
    store.list(scope, 'exception', {
      limit: PAGE,
      ...(states && { states }),
      ...(last && { after: last.entry.id }),
    });
  for await (const page of pages(PAGE, read)) {
    for (const stored of page) if (await isOfClose(stored, closes)) yield stored;
  }
}

/** The attempts of which two rows say the contrary, as `attemptName` names them. */
export async function contradictedAttempts(
  account: ReconciledAccount,
  closes: KnownCloses,
): Promise<ReadonlySet<string>> {
  const names = new Set<string>();
  for await (const stored of entriesOf(account, closes, ['open', 'explained'])) {
    const details = detailsOf(stored);
    if (details.isContradiction) names.add(attemptName(details));
  }
  return names;
}

export async function lastClose(account: ReconciledAccount): Promise<ClosedDay | undefined> {
  const stored = await lastStoredClose(account);
  return stored && closedDayOf(stored);
}

/** The first day whose close does not show what ends now. */
export async function nextOpenDay(account: ReconciledAccount): Promise<string> {
  const last = await lastClose(account);
  return last ? nextDay(last.summary.day) : '';
}
