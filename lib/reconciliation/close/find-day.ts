import { type ReconciledAccount } from '../reconciled-accounts.js';
import { formatCents } from '../../common/money.js';
import { firstReading, readBalance } from '../balance/readings.js';
import { type Finding } from '../matching/finding.js';
import { type DayLimits } from '../matching/classify-payment.js';
import { type StatementMatch } from '../matching/match-statement.js';
import { type ProvenRow } from '../matching/proven-row.js';
import { type ResolvedReconciliationPolicy } from '../reconciliation-policy.js';
import { type Statement } from '../statement/statement-row.js';
import { type CarriedPayment, readList } from './carried.js';
import { type ClosedDay, listOf } from './close-entry.js';
import { statementDaysOf } from './closed-days.js';
import { type ClosePlace } from './close-place.js';
import { type BalanceReading, type CloseSummary, type StatementSummary } from './close-summary.js';
import { DayTally, gapOf } from './day-tally.js';
import { type MatchedDay, matchDay } from './match-day.js';
import { readJournalDay } from './journal-day.js';

/** What a close found out, before any of it is written. */
export interface FoundDay {
  readonly sums: Pick<
    CloseSummary,
    'collections' | 'payouts' | 'open' | 'expected' | 'hasOpening' | 'balance' | 'statement'
  >;
  readonly closing: BalanceReading;
  readonly findings: readonly Finding[];
  /** What the statement proves. */
  readonly proofs: Iterable<ProvenRow>;
  readonly carried: readonly CarriedPayment[];
}

/** What a search needs. */
interface FindDay {
  readonly account: ReconciledAccount;
  readonly place: ClosePlace;
  readonly statement: Statement | undefined;
  readonly allowNoMatch: boolean;
  readonly policy: ResolvedReconciliationPolicy;
  /** By the clock of the storage. */
  readonly now: number;
  /** Shows that the run is alive. */
  readonly goOn: () => Promise<void> | undefined;
}

/** Compares a day of the journal with the balance and the statement. Writes nothing but a reading of the balance. */
export async function findDay(find: FindDay): Promise<FoundDay> {
  const { account, place, statement, allowNoMatch, policy, goOn } = find;
  const { from, to, previous } = place;
  const closing =
    (await firstReading(account, to, previous?.closing)) ??
    (await readBalance(account, account.services.wallet, find.now));
  const list = previous && listOf(account.scope, previous);
  const carried = list && readList(account.store, list, 'carried');
  const proposed = list && readList(account.store, list, 'proposals');
  const span = { from, to, readUntil: closing.answeredAt.getTime(), carried, proposed };
  const journalDay = await readJournalDay(account, span, goOn);
  const { statementLagMs, outcomeWithinMs, payoutsEndWithinMs, mostExceptions } = policy;
  const dayLimits: DayLimits = {
    cutOff: to,
    hasStatement: statement !== undefined,
    statementLagMs,
    outcomeWithinMs,
    payoutsEndWithinMs,
  };
  const opening = previous?.closing;
  const statementDays = await statementDaysOf(account);
  if (statement) statementDays.add({ from, to });
  const tally = new DayTally({
    journalDay,
    dayLimits,
    statementDays,
    limits: policy,
    mostExceptions,
    from,
    opening,
    closing,
  });
  const matched =
    statement &&
    (await matchDay(
      { account, place, journalDay, dayLimits, statementDays, policy, allowNoMatch },
      statement,
      tally,
      goOn,
    ));
  tally.finish(matched);
  const balance = tally.equation();
  return {
    sums: {
      collections: tally.collections.sum,
      payouts: tally.payouts.sum,
      open: tally.open.sum,
      expected: tally.expected,
      hasOpening: hasOpening(previous, closing),
      balance,
      statement: statement && matched && statementSummary(statement, matched.match),
    },
    closing,
    findings: [...gapOf(balance), ...(matched?.match.findings ?? []), ...tally.withHints(balance)],
    proofs: { [Symbol.iterator]: () => allProofs(tally, place, matched) },
    carried: tally.carried,
  };
}

/** What earlier statements prove, nobody has applied, and nothing contradicts; and what this one proves. */
function* allProofs(
  { proposedAgain }: DayTally,
  { previous }: ClosePlace,
  matched: MatchedDay | undefined,
): Generator<ProvenRow, void, undefined> {
  for (const proof of proposedAgain) yield { ...proof, readOn: proof.readOn ?? previous?.summary.day ?? '' };
  if (matched) yield* matched.match.proofs();
}

/** Days before the first one on which another balance was read begin with none, too. */
function hasOpening(previous: ClosedDay | undefined, { askedAt }: BalanceReading): boolean {
  if (!previous) return false;
  return previous.summary.hasOpening || previous.closing.askedAt.getTime() !== askedAt.getTime();
}

function statementSummary({ name }: Statement, match: StatementMatch): StatementSummary {
  const { digest, rows, otherDays, matched, collections, payouts, others } = match;
  const doubtful = others.doubtfulFees.total();
  return {
    name,
    digest: digest.text,
    rows,
    otherDays,
    matched,
    collections: collections.sum,
    payouts: payouts.sum,
    other: formatCents(others.certain.total()),
    ...(doubtful !== 0n && { doubtfulFees: formatCents(doubtful) }),
  };
}
