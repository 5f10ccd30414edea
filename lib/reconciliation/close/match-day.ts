import { type ReconciledAccount } from '../accounts.js';
import { familyOf } from '../matching/finding.js';
import { type DayLimits, type RowMoney } from '../matching/classify-payment.js';
import { matchLoosely } from '../matching/match-loosely.js';
import { type MatchListener } from '../matching/match-listener.js';
import { StatementMatch } from '../matching/match-statement.js';
import { OpenRows } from '../matching/open-rows.js';
import { type JournalPayment } from '../matching/journal-payment.js';
import { type ResolvedReconciliationPolicy } from '../reconciliation-policy.js';
import { type Statement } from '../statement/statement-row.js';
import { type ClosePlace } from './close-place.js';
import { type JournalDay } from './journal-day.js';

/** What is matched with what. */
interface DayToMatch {
  readonly account: Pick<ReconciledAccount, 'journal' | 'scope'>;
  readonly place: ClosePlace;
  readonly journalDay: JournalDay;
  readonly dayLimits: DayLimits;
  readonly policy: Pick<ResolvedReconciliationPolicy, 'mostExceptions' | 'looseMatching'>;
}

/** A statement and the payments of a day, matched. */
export interface MatchedDay {
  readonly match: StatementMatch;
  /** Payments that were written down after the end of the day, with their rows. */
  readonly early: readonly { readonly own: JournalPayment; readonly row: RowMoney }[];
}

/** @throws PaymentsValidationError that says which row of the statement is wrong. */
export async function matchDay(
  { account, place, journalDay, dayLimits, policy }: DayToMatch,
  statement: Statement,
  listener: MatchListener,
  eachRow: () => Promise<void> | undefined,
): Promise<MatchedDay> {
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
  for (const { given, money: row, isForgotten } of unknown) {
    const { reference } = given;
    match.doubt({ kind: 'missing-here', family: familyOf(given), reference, row, isForgotten });
  }
  return { match, early: open.early };
}

/** Rows of earlier statements, by the place of their payment. */
function* provenRows({ carried }: JournalDay): Generator<readonly [number, RowMoney], void, undefined> {
  for (const [place, { proven }] of carried) if (proven) yield [place, proven];
}
