import { type ReconciledAccount } from '../accounts.js';
import { familyOf } from '../matching/finding.js';
import { CUT_MS, type DayLimits, type RowMoney } from '../matching/classify-payment.js';
import { matchLoosely } from '../matching/match-loosely.js';
import { type MatchListener } from '../matching/match-listener.js';
import { StatementMatch } from '../matching/match-statement.js';
import { OpenRows } from '../matching/open-rows.js';
import { type JournalPayment } from '../matching/journal-payment.js';
import { type JournalPayments } from '../matching/journal-payments.js';
import { type OpenRow } from '../matching/row-money.js';
import { type ResolvedReconciliationPolicy } from '../reconciliation-policy.js';
import { type Statement } from '../statement/statement-row.js';
import { wrongStatement } from '../statement/wrong-statement.js';
import { type ClosePlace } from './close-place.js';
import { type JournalDay } from './journal-day.js';

/** What is matched with what. */
interface DayToMatch {
  readonly account: Pick<ReconciledAccount, 'journal' | 'scope'>;
  readonly place: ClosePlace;
  readonly journalDay: JournalDay;
  readonly dayLimits: DayLimits;
  readonly policy: Pick<ResolvedReconciliationPolicy, 'mostExceptions' | 'looseMatching'>;
  readonly allowNoMatch: boolean;
}

/** A statement and the payments of a day, matched. */
export interface MatchedDay {
  readonly match: StatementMatch;
  /** Payments that were written down after the end of the day, with their rows. */
  readonly early: readonly { readonly own: JournalPayment; readonly row: RowMoney }[];
}

/** @throws PaymentsValidationError that says which row of the statement is wrong. */
export async function matchDay(
  dayToMatch: DayToMatch,
  statement: Statement,
  listener: MatchListener,
  eachRow: () => Promise<void> | undefined,
): Promise<MatchedDay> {
  const { account, place, journalDay, dayLimits, policy } = dayToMatch;
  const { day, from, to, previous } = place;
  const span = { day, from, to, most: policy.mostExceptions };
  const match = new StatementMatch(journalDay.payments, provenRows(journalDay), dayLimits, span, listener);
  await match.read(statement, eachRow);
  const open = new OpenRows(match, account, { since: previous?.statementsSince ?? from, from, to });
  await open.find(eachRow);
  const { looseMatching } = policy;
  const journal = { ...account, payments: journalDay.payments };
  const unknown = looseMatching
    ? await matchLoosely(match, open.unknown, journal, looseMatching.withinMs, eachRow)
    : open.unknown;
  checkMatch(match, dayToMatch);
  for (const { given, money: row, isForgotten } of unknown) {
    const { reference } = given;
    match.doubt({ kind: 'missing-here', family: familyOf(given), reference, row, isForgotten });
  }
  return { match, early: open.early };
}

/**
 * Refuses what would close the day for good without a single row that names its payment: another column than that of the merchant's
 * reference was read, or it is the statement of another account. The sign of it is that rows fit payments of the day but for their names.
 *
 * @throws PaymentsValidationError
 */
function checkMatch(
  { matched, hasKnownRow, open }: StatementMatch,
  { place: { day, from }, journalDay: { payments }, policy, allowNoMatch }: DayToMatch,
): void {
  if (allowNoMatch || hasKnownRow || matched > 0) return;
  // Loose matching is for rows without a reference: they name no payment, whatever column is read.
  const named = policy.looseMatching ? open.filter(({ given }) => given.reference !== undefined) : open;
  const fitting = countFitting(named, payments, from);
  if (fitting === 0) return;
  throw wrongStatement(
    `none of its payment rows of ${day} (${open.length}) finds a payment, and the journal has payments of that day with the amounts of these rows (${fitting}): check that it is the statement of this account, and name the column of your own reference, for example columns: { reference: 'the name in your file' }; if all these rows are of others, write allowNoMatch: true`,
  );
}

/** How many payments that began since then, and may have moved money, have a row of their amount after it. */
function countFitting(rows: readonly OpenRow[], payments: JournalPayments, since: number): number {
  const latest = new Map<string, number>();
  for (const { given, money } of rows) {
    const amount = `${familyOf(given)} ${money.cents}`;
    latest.set(amount, Math.max(money.at, latest.get(amount) ?? money.at));
  }
  let fitting = 0;
  for (let index = 0; index < payments.size; index += 1) {
    const { family, cents, begunAt, state } = payments.at(index);
    const at = latest.get(`${family} ${cents}`);
    if (state !== 'none' && begunAt >= since && at !== undefined && at + CUT_MS >= begunAt) fitting += 1;
  }
  return fitting;
}

/** Rows of earlier statements, by the place of their payment. */
function* provenRows({ carried }: JournalDay): Generator<readonly [number, RowMoney], void, undefined> {
  for (const [place, { proven }] of carried) if (proven) yield [place, proven];
}
