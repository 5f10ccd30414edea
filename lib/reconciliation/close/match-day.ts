import { type ReconciledAccount } from '../reconciled-accounts.js';
import { familyOf } from '../matching/finding.js';
import { type DayLimits, type RowMoney } from '../matching/classify-payment.js';
import { matchLoosely } from '../matching/match-loosely.js';
import { type MatchListener } from '../matching/match-listener.js';
import { StatementMatch } from '../matching/match-statement.js';
import { findLostSigns } from '../matching/lost-signs.js';
import { OpenRows } from '../matching/open-rows.js';
import { type StatementDays } from '../matching/statement-days.js';
import { type JournalPayment } from '../matching/journal-payment.js';
import { misnamedRows } from '../matching/row-names.js';
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
  readonly statementDays: StatementDays;
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
  const { account, place, journalDay, dayLimits, statementDays, policy } = dayToMatch;
  const { day, from, to } = place;
  const span = { day, from, to, most: policy.mostExceptions };
  const match = new StatementMatch(journalDay.payments, provenRows(journalDay), dayLimits, span, listener);
  await match.read(statement, eachRow);
  const open = new OpenRows(match, account, { from, to, statementDays });
  await open.find(eachRow);
  await findLostSigns(match, account, eachRow);
  const { looseMatching } = policy;
  const journal = { ...account, payments: journalDay.payments };
  const unknown = looseMatching
    ? await matchLoosely(match, open.unknown, journal, looseMatching.withinMs, eachRow)
    : open.unknown;
  checkNames(match, dayToMatch);
  for (const { given, money: row, isForgotten } of unknown) {
    const { reference } = given;
    match.doubt({ kind: 'missing-here', family: familyOf(given), reference, row, isForgotten });
  }
  return { match, early: open.early };
}

/**
 * Refuses what would close the day for good with references of another column than that of the merchant's own, or with the
 * statement of another account.
 *
 * @throws PaymentsValidationError
 */
function checkNames(
  { names }: StatementMatch,
  { place: { day, from }, policy, allowNoMatch }: DayToMatch,
): void {
  if (allowNoMatch) return;
  // Loose matching is for rows without a reference: they name no payment, whatever column is read.
  const misnamed = misnamedRows(names.signs(from, policy.looseMatching !== undefined));
  if (misnamed === 0) return;
  const { agreeing, differing, strangers, forgotten } = names;
  const named = agreeing + differing.length;
  // Row numbers name forgotten payments, too, so they prove no column: a person tells a day that was closed late.
  const because = forgotten > 0 ? `, ${forgotten} because the journal has forgotten it` : '';
  const found =
    named === 0
      ? `none of its payment rows of ${day} (${strangers.length}) finds a payment`
      : `most of its payment rows of ${day} that name a payment (${differing.length} of ${named}) do not agree with it${because}`;
  const isChanged = strangers.some(({ given: { reference = '' } }) => CHANGED_NUMBER.test(reference));
  const hint = isChanged
    ? "; take the file as the gateway wrote it if a spreadsheet has put ' before references, or .0 behind them"
    : '';
  throw wrongStatement(
    `${found}, and the journal has payments of that day with the amounts of rows that do not name them (${misnamed}): check that it is the statement of this account, and name the column of your own reference, for example columns: { reference: 'the name in your file' }${hint}; if these references are right, write allowNoMatch: true`,
  );
}

/** What some programs write in place of a number, so that a spreadsheet keeps it, and what a spreadsheet writes. */
const CHANGED_NUMBER = /^'|^\d+\.0{1,2}$/;

/** Rows of earlier statements, by the place of their payment. */
function* provenRows({ carried }: JournalDay): Generator<readonly [number, RowMoney], void, undefined> {
  for (const [place, { proven }] of carried) if (proven) yield [place, proven];
}
