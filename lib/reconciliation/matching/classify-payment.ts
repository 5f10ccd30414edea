import { type PaymentOutcome } from '../../common/vocabulary.js';
import { type ExceptionKind } from '../exceptions/close-exception.js';
import { type StatementRow } from '../statement/statement-row.js';
import { type JournalPayment } from './journal-payment.js';

/** The limits that a day sets for its payments. */
export interface DayLimits {
  /** The end of the day. */
  readonly cutOff: number;
  /** Whether there is a statement. */
  readonly hasStatement: boolean;
  /** How much later than a payment the time of its row may be. */
  readonly statementLagMs: number;
  /** How long a payment may stay open. */
  readonly outcomeWithinMs: number;
  /** How long after acceptance a payout may still change the balance; Infinity: without a limit. */
  readonly payoutsEndWithinMs: number;
}

/** A row with its amounts in cents. */
export interface RowMoney extends Pick<StatementRow, 'row' | 'kind' | 'isFailed'> {
  readonly cents: number;
  readonly feeCents: number | undefined;
  readonly at: number;
  /** Another row said the contrary while the payment had not ended. */
  readonly isContradicted?: true;
}

/** What a close finds out about a payment. */
export interface Classification {
  readonly kinds: readonly ExceptionKind[];
  /** How the statement proves that the payment ended. */
  readonly proves?: PaymentOutcome;
  /** The next close has to look at it again. */
  readonly stays: boolean;
  /** It is too young to be an exception. */
  readonly isExpected?: true;
}

const NOTHING: Classification = { kinds: [], stays: false };
const EXPECTED: Classification = { kinds: [], stays: true, isExpected: true };
const WAITING: Classification = { kinds: [], stays: true };
/** What a statement with hours and minutes leaves out of a time. */
export const CUT_MS = 59_999;
const SECOND_MS = 1_000;
/** How long after its refusal a payment is looked at again: another attempt may have begun. */
const AGAIN_WITHIN_MS = 31 * 86_400_000;

/**
 * A payment that no row of the statement belongs to.
 *
 * @param awaitsRow An earlier statement should have shown it.
 */
export function classifyUnmatched(own: JournalPayment, limits: DayLimits, awaitsRow = false): Classification {
  const ageMs = limits.cutOff - own.begunAt;
  switch (own.state) {
    case 'none':
      return mayBeginAgain(own, limits) ? WAITING : NOTHING;
    case 'moved':
      if (!limits.hasStatement) return awaitsRow ? WAITING : NOTHING;
      return limits.cutOff - own.changedAt < limits.statementLagMs ? EXPECTED : staying('missing-there');
    case 'unknown':
      return ageMs < limits.statementLagMs ? EXPECTED : staying('unknown');
    case 'accepted':
      return classifyAccepted(own, limits, ageMs);
  }
}

/** Whether the next close has to look for another attempt. */
export function mayBeginAgain(
  { state, isRepeatable, begunAt }: JournalPayment,
  { cutOff }: Pick<DayLimits, 'cutOff'>,
): boolean {
  return state === 'none' && isRepeatable && cutOff - begunAt < AGAIN_WITHIN_MS;
}

/** Whether money moved before the last attempt began, though the journal says of all earlier ones that they moved nothing. */
export function isBeforeLastAttempt(
  { attempt, begunAt }: JournalPayment,
  { at, isFailed }: RowMoney,
): boolean {
  return !isFailed && attempt > 1 && at + CUT_MS < begunAt;
}

/** The latest time that the time of a row may stand for: statements leave out the seconds, or what is less than one. */
export function latestTimeOf(at: number): number {
  if (at % (CUT_MS + 1) === 0) return at + CUT_MS;
  return at % SECOND_MS === 0 ? at + SECOND_MS - 1 : at;
}

function classifyAccepted({ family }: JournalPayment, limits: DayLimits, ageMs: number): Classification {
  if (ageMs < limits.outcomeWithinMs) return EXPECTED;
  // The specification has nothing that ends a payout: without a statement, all of them stay accepted.
  if (family === 'collection' || limits.hasStatement) return staying('unproven');
  return ageMs < limits.payoutsEndWithinMs ? WAITING : NOTHING;
}

/**
 * A payment and its row of the statement.
 *
 * @param isLoose The row does not name the payment: a person has to look at what it proves.
 */
export function classifyMatched(
  own: JournalPayment,
  row: RowMoney,
  limits: DayLimits,
  isLoose = false,
): Classification {
  if (row.isFailed) return classifyFailed(own, row);
  if (own.state === 'none') return { kinds: ['status'], stays: false, ...proof(own, row) };
  const kinds: ExceptionKind[] = [];
  if (own.cents !== row.cents) kinds.push('amount');
  else if (own.feeCents !== undefined && row.feeCents !== undefined && own.feeCents !== row.feeCents)
    kinds.push('fee');
  if (row.at - own.begunAt > limits.outcomeWithinMs) kinds.push('late');
  if (own.state === 'moved') return { kinds, stays: false };
  // A payout ends here: nothing else of the specification does it. Of a collection a webhook should have been heard.
  const isAsUsual = own.state === 'accepted' && own.family === 'disbursement' && !isLoose;
  return { kinds: isAsUsual ? kinds : ['proven', ...kinds], stays: false, ...proof(own, row) };
}

/** The statement says that no money moved. */
function classifyFailed(own: JournalPayment, row: RowMoney): Classification {
  if (own.state === 'none') return NOTHING;
  if (own.state === 'moved') return { kinds: ['status'], stays: false };
  if (own.cents !== row.cents) return { kinds: ['amount'], stays: false };
  return { kinds: ['proven'], proves: 'failed', stays: false };
}

/** The row of another amount proves nothing. Only a refusal may still be settled; an outcome stays. */
function proof(own: JournalPayment, row: RowMoney): Pick<Classification, 'proves'> {
  if (own.cents !== row.cents || (own.state === 'none' && own.status !== 'rejected')) return {};
  return { proves: own.family === 'collection' ? 'success' : 'paid' };
}

function staying(kind: ExceptionKind): Classification {
  return { kinds: [kind], stays: true };
}
