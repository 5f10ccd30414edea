import { type PaymentOutcome } from '../../common/vocabulary.js';
import { type ExceptionKind } from '../exceptions/close-exception.js';
import { type StatementRow } from '../statement/statement-row.js';
import { type OwnPayment } from './own-payment.js';

/** What a payment is measured by. */
export interface JudgedAt {
  /** The end of the day. */
  readonly cutOff: number;
  /** Whether there is a statement. */
  readonly hasStatement: boolean;
  /** So long after a payment moved the statement may show it. */
  readonly statementLagMs: number;
  /** So long a payment may stay open. */
  readonly outcomeWithinMs: number;
  /** So long a payout may change the balance; Infinity: for ever. */
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
export interface Judgement {
  readonly kinds: readonly ExceptionKind[];
  /** How the statement proves that the payment ended. */
  readonly proves?: PaymentOutcome;
  /** The next close has to look at it again. */
  readonly stays: boolean;
  /** It is too young to be an exception. */
  readonly isExpected?: true;
}

const NOTHING: Judgement = { kinds: [], stays: false };
const EXPECTED: Judgement = { kinds: [], stays: true, isExpected: true };
const WAITING: Judgement = { kinds: [], stays: true };
/** What a statement with hours and minutes leaves out of a time. */
export const CUT_MS = 59_999;
/** So long after it was refused a payment is looked at again: another attempt may have begun. */
const AGAIN_WITHIN_MS = 31 * 86_400_000;

/**
 * A payment that no row of the statement belongs to.
 *
 * @param awaitsRow An earlier statement should have shown it.
 */
export function judgeWithoutRow(own: OwnPayment, at: JudgedAt, awaitsRow = false): Judgement {
  const ageMs = at.cutOff - own.begunAt;
  switch (own.state) {
    case 'none':
      return mayBeginAgain(own, at) ? WAITING : NOTHING;
    case 'moved':
      if (!at.hasStatement) return awaitsRow ? WAITING : NOTHING;
      return at.cutOff - own.changedAt < at.statementLagMs ? EXPECTED : staying('missing-there');
    case 'unknown':
      return ageMs < at.statementLagMs ? EXPECTED : staying('unknown');
    case 'accepted':
      return judgeAccepted(own, at, ageMs);
  }
}

/** Whether the next close has to look for another attempt. */
export function mayBeginAgain(
  { state, isRepeatable, begunAt }: OwnPayment,
  { cutOff }: Pick<JudgedAt, 'cutOff'>,
): boolean {
  return state === 'none' && isRepeatable && cutOff - begunAt < AGAIN_WITHIN_MS;
}

/** Whether money moved before the last attempt began, though the journal says of all earlier ones that they moved nothing. */
export function isBeforeLastAttempt({ attempt, begunAt }: OwnPayment, { at, isFailed }: RowMoney): boolean {
  return !isFailed && attempt > 1 && at + CUT_MS < begunAt;
}

function judgeAccepted({ family }: OwnPayment, at: JudgedAt, ageMs: number): Judgement {
  if (ageMs < at.outcomeWithinMs) return EXPECTED;
  // The specification has nothing that ends a payout: without a statement, all of them stay accepted.
  if (family === 'collection' || at.hasStatement) return staying('unproven');
  return ageMs < at.payoutsEndWithinMs ? WAITING : NOTHING;
}

/**
 * A payment and its row of the statement.
 *
 * @param isLoose The row does not name the payment: a person has to look at what it proves.
 */
export function judgeWithRow(own: OwnPayment, row: RowMoney, at: JudgedAt, isLoose = false): Judgement {
  if (row.isFailed) return judgeFailed(own, row);
  if (own.state === 'none') return { kinds: ['status'], stays: false, ...proof(own, row) };
  const kinds: ExceptionKind[] = [];
  if (own.cents !== row.cents) kinds.push('amount');
  else if (own.feeCents !== undefined && row.feeCents !== undefined && own.feeCents !== row.feeCents)
    kinds.push('fee');
  if (row.at - own.begunAt > at.outcomeWithinMs) kinds.push('late');
  if (own.state === 'moved') return { kinds, stays: false };
  // A payout ends here: nothing else of the specification does it. Of a collection a webhook should have been heard.
  const isAsUsual = own.state === 'accepted' && own.family === 'disbursement' && !isLoose;
  return { kinds: isAsUsual ? kinds : ['proven', ...kinds], stays: false, ...proof(own, row) };
}

/** The statement says that no money moved. */
function judgeFailed(own: OwnPayment, row: RowMoney): Judgement {
  if (own.state === 'none') return NOTHING;
  if (own.state === 'moved') return { kinds: ['status'], stays: false };
  if (own.cents !== row.cents) return { kinds: ['amount'], stays: false };
  return { kinds: ['proven'], proves: 'failed', stays: false };
}

/** The row of another amount proves nothing. Only a refusal may still be settled; an outcome stays. */
function proof(own: OwnPayment, row: RowMoney): Pick<Judgement, 'proves'> {
  if (own.cents !== row.cents || (own.state === 'none' && own.status !== 'rejected')) return {};
  return { proves: own.family === 'collection' ? 'success' : 'paid' };
}

function staying(kind: ExceptionKind): Judgement {
  return { kinds: [kind], stays: true };
}
