import { type ReconciledAccount } from '../reconciled-accounts.js';
import { quoted } from '../../common/quoted.js';
import { changeExceptions, writeExceptions } from '../exceptions/write-exceptions.js';
import { PaymentsError } from '../../errors/payments-errors.js';
import { rowMoney } from '../matching/row-money.js';
import { StatementDigest } from '../matching/statement-digest.js';
import { type ReconciliationEntry } from '../../storage/reconciliation-store.js';
import { type ResolvedReconciliationPolicy } from '../reconciliation-policy.js';
import { type Statement } from '../statement/statement-row.js';
import { listEntries } from './carried.js';
import { closeEntry, type ClosedDay, closedDayOf, listOf } from './close-entry.js';
import { ClosedDays } from './closed-days.js';
import { placeOf } from './close-place.js';
import { CloseRun } from './close-run.js';
import { findDay } from './find-day.js';

/** Each of a list holds a hundred payments. */
const ENTRIES_AT_ONCE = 50;

/** What is asked for. */
interface CloseRequest {
  readonly day: string;
  readonly timeZone: string;
  readonly by: string;
  readonly statement: Statement | undefined;
  readonly allowNoMatch: boolean;
}

/**
 * Closes a day, or returns what was found when it was closed before.
 *
 * @throws PaymentsError with the code `CLOSE_RUNNING`, `DAY_NOT_OVER`, `DAY_NOT_NEXT`, `DAY_OTHER_ZONE` or `DAY_CLOSED`.
 * @throws PaymentsValidationError if the statement is wrong; nothing was written.
 */
export async function closeDay(
  account: ReconciledAccount,
  request: CloseRequest,
  policy: ResolvedReconciliationPolicy,
): Promise<ClosedDay> {
  const { store, scope } = account;
  const before = await store.get(scope, 'close', request.day);
  if (before) return asItWas(closedDayOf(before), request);
  const run = await CloseRun.begin(store, scope);
  try {
    // Another run may have ended since.
    const meanwhile = await store.get(scope, 'close', request.day);
    if (meanwhile) return await asItWas(closedDayOf(meanwhile), request);
    return await closeInTurn(account, request, policy, run);
  } finally {
    await run.end();
  }
}

async function closeInTurn(
  account: ReconciledAccount,
  { day, timeZone, by, statement, allowNoMatch }: CloseRequest,
  policy: ResolvedReconciliationPolicy,
  run: CloseRun,
): Promise<ClosedDay> {
  const { store, scope } = account;
  const goOn = (): Promise<void> | undefined => run.goOn();
  const place = await placeOf(account, day, timeZone, run.startedAt);
  const found = await findDay({
    account,
    place,
    statement,
    allowNoMatch,
    policy,
    now: run.startedAt,
    goOn,
  });
  await run.hold();
  const where = { scope, day, statement: statement?.name, token: run.token };
  const writing = { closes: new ClosedDays(account), goOn };
  const { counts, proposals, changes } = await writeExceptions(account, where, found, writing);
  const summary = {
    day,
    timeZone,
    from: new Date(place.from),
    to: new Date(place.to),
    closedAt: new Date(run.startedAt),
    by,
    ...found.sums,
    exceptions: counts,
  };
  const closed: ClosedDay = { summary, closing: found.closing, token: run.token };
  const list = listOf(scope, closed);
  await addAll(account, listEntries(list, 'carried', found.carried), goOn);
  await addAll(account, listEntries(list, 'proposals', proposals), goOn);
  await run.hold();
  await store.add([closeEntry(scope, closed)]);
  const stored = await store.get(scope, 'close', day);
  const kept = stored ? closedDayOf(stored) : closed;
  // A process that took over since the lease was held last may have closed the day: then its close counts.
  if (kept.token !== run.token) return kept;
  try {
    await changeExceptions(account, changes, day);
  } finally {
    account.events.emit('reconciliation.closed', { account: scope.account, summary });
  }
  return kept;
}

async function addAll(
  { store }: Pick<ReconciledAccount, 'store'>,
  entries: Iterable<ReconciliationEntry>,
  goOn: () => Promise<void> | undefined,
): Promise<void> {
  let some: ReconciliationEntry[] = [];
  for (const entry of entries) {
    some.push(entry);
    if (some.length < ENTRIES_AT_ONCE) continue;
    await store.add(some);
    await goOn();
    some = [];
  }
  if (some.length > 0) await store.add(some);
}

/** @throws PaymentsError with the code `DAY_OTHER_ZONE` or `DAY_CLOSED` if the day was closed otherwise. */
async function asItWas(closed: ClosedDay, { day, timeZone, statement }: CloseRequest): Promise<ClosedDay> {
  if (closed.summary.timeZone !== timeZone) {
    throw new PaymentsError(
      'DAY_OTHER_ZONE',
      `${day} was closed in the time zone ${quoted(closed.summary.timeZone)}, and in ${quoted(timeZone)} it is another day. Write the same time zone.`,
    );
  }
  if (!statement) return closed;
  const digest = new StatementDigest();
  for await (const row of statement.rows()) digest.add(row, rowMoney(row));
  const known = closed.summary.statement;
  if (known?.digest === digest.text) return closed;
  throw new PaymentsError(
    'DAY_CLOSED',
    `${day} was closed ${known ? 'with another statement' : 'without a statement'}, and nothing is closed twice. Look at it with open(), and close the days to come with their statements.`,
  );
}
