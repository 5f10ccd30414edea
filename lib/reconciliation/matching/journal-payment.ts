import { moneyFromWire, parseCentsAsNumber } from '../../common/money.js';
import { type PaymentFamily, movesMoney } from '../../common/vocabulary.js';
import { gatewayRecord } from '../../journal/payment/payment-result.js';
import { mayBeTriedAgain } from '../../journal/payment/repeated-call.js';
import { begunAtOf } from '../../storage/stored-record.js';
import { type JournalRecord, type StoredJournalRecord } from '../../storage/journal-store.js';

/**
 * What the journal knows of a payment's money.
 *
 * - `moved`: it came in, or arrived.
 * - `none`: it did not move, or came back.
 * - `accepted`: the gateway has the payment, and it has not ended.
 * - `unknown`: nobody knows.
 */
type MoneyState = 'moved' | 'none' | 'accepted' | 'unknown';

/** A payment of the journal, as far as a close looks at it. */
export interface JournalPayment {
  readonly family: PaymentFamily;
  readonly reference: string;
  readonly state: MoneyState;
  /** The state in the journal, and for a settled payment its outcome. */
  readonly status: string;
  /** Undefined if the journal cannot read it. */
  readonly cents: number | undefined;
  /** Undefined if the gateway has not said it. */
  readonly feeCents: number | undefined;
  /** It did not move, and another attempt may begin under its reference. */
  readonly isRepeatable: boolean;
  /** The gateway turned it away (401, 403, 429 or a redirect), and no later call got another answer. */
  readonly isTurnedAway?: boolean;
  /** When it was written down, by the clock of the storage. */
  readonly createdAt: number;
  /** From 1: how often another attempt began under its reference. */
  readonly attempt: number;
  /** When the last attempt began. It is a payment of that day. */
  readonly begunAt: number;
  /** When it last changed. If it has ended, it ended before this. */
  readonly changedAt: number;
}

export function journalPayment(stored: StoredJournalRecord): JournalPayment {
  const { record, createdAt, updatedAt, damaged } = stored;
  const { family, reference, amount } = record;
  const begunAt = begunAtOf(stored);
  return {
    family,
    reference,
    state: damaged === undefined ? stateOf(record) : 'unknown',
    status: damaged === undefined ? (record.outcome ?? record.state) : 'damaged',
    cents: parseCentsAsNumber(amount),
    feeCents: damaged === undefined ? feeOf(record) : undefined,
    isRepeatable: damaged === undefined && mayBeTriedAgain(record),
    isTurnedAway: damaged === undefined && record.state === 'rejected' && record.turnedAway === true,
    createdAt,
    attempt: record.attempt,
    begunAt,
    // The clock of a database may step back.
    changedAt: Math.max(createdAt, begunAt, record.endedAt ?? updatedAt),
  };
}

/** A state of a newer version of the package is unknown. */
function stateOf({ state, outcome, keepsKey }: JournalRecord): MoneyState {
  if (state === 'settled') return movesMoney(outcome) ? 'moved' : 'none';
  if (state === 'rejected') return keepsKey ? 'unknown' : 'none';
  return state === 'accepted' ? 'accepted' : 'unknown';
}

/** Both kinds of records name the fee (specification, "Resources and their fields"). */
function feeOf(record: JournalRecord): number | undefined {
  const fee = moneyFromWire(gatewayRecord(record)?.['fee']);
  return fee === undefined ? undefined : parseCentsAsNumber(fee);
}

/** Whether its end is not known. */
export function isOpen({ state }: Pick<JournalPayment, 'state'>): boolean {
  return state === 'accepted' || state === 'unknown';
}

/** Whether the journal holds how it ended. A refusal is no outcome: a statement may prove another. */
export function hasOutcome(own: Pick<JournalPayment, 'state' | 'status'>): boolean {
  return !isOpen(own) && own.status !== 'rejected';
}

/**
 * The earliest time at which it can have moved. Earlier attempts moved nothing; this is not known of an attempt that was
 * sent again.
 */
export function earliestOf({ attempt, createdAt, begunAt }: JournalPayment): number {
  return attempt > 1 ? begunAt : createdAt;
}
