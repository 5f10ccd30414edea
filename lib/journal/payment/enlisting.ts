import {
  type JournalInTransaction,
  type JournalKey,
  type JournalRecord,
  type JournalStore,
  type StoredJournalRecord,
} from '../../storage/journal-store.js';
import { type MoneyOperation } from '../../common/operations.js';
import { type JournalState, type PaymentFamily } from '../../common/vocabulary.js';
import {
  failureLabel,
  isPaymentsError,
  PaymentsConfigError,
  PaymentsStorageError,
} from '../../errors/payments-errors.js';
import { type CallOptions, checkCallOptions } from '../../gateway/call-options.js';
import { type PaymentsResponse } from '../../gateway/answer/wire-record.js';
import { withCountedDay } from './daily-caps.js';
import { asBefore, type NewPayment, toPlanned } from './journal-transitions.js';
import { decideWithoutProbe, type Refusal, type RequestedPayment, usesAnotherKey } from './repeated-call.js';
import {
  attemptRefused,
  enlistedRefused,
  existingPaymentUnknown,
  keyRefused,
  mayYetSendNothing,
  referenceForgotten,
  referenceReused,
  stillPlanned,
} from './repeated-call-errors.js';

/**
 * Options of `enlist…`, with the meaning that they have for a call.
 *
 * @publicApi
 */
export type EnlistOptions = Pick<CallOptions, 'idempotencyKey' | 'attempt'>;

/**
 * Options of {@link EnlistedPayment.send}, with the meaning that they have for a call.
 *
 * @publicApi
 */
export type SendOptions = Omit<CallOptions, 'idempotencyKey' | 'attempt'>;

/**
 * A payment that belongs to a transaction of the application: it is made if the transaction commits, and leaves no
 * trace if it does not.
 *
 * @publicApi
 */
export interface EnlistedPayment<T extends object> {
  /** Money in, or money out. */
  readonly family: PaymentFamily;
  /** Which operation will be called. */
  readonly operation: MoneyOperation;
  /** The merchant's reference. */
  readonly reference: string;
  /** Two-decimal string. */
  readonly amount: string;
  /** 1, and one more after every final refusal. */
  readonly attempt: number;
  /** The `Idempotency-Key` that will be sent. */
  readonly idempotencyKey: string;
  /** `planned`; or the state of the same payment, if it was enlisted or made before. */
  readonly state: JournalState;
  /**
   * Sends the payment now, and gives its record. Call it after the commit. If the application does not, or its process
   * dies before, `PaymentsJournal.recover()` sends the payment. It is sent once, by the first of them.
   *
   * @throws PaymentsError with the code `ENTRY_NOT_FOUND` if the transaction is not committed. Nothing was sent.
   * @throws PaymentsError The classes of the direct call. An error that says that nothing was sent leaves the payment
   * planned: `recover()` sends it later, and `mayHaveBeenProcessed` is `not-by-this-call`.
   */
  send(options?: SendOptions): Promise<PaymentsResponse<T>>;
}

const ENLIST_OPTIONS: readonly (keyof EnlistOptions)[] = ['idempotencyKey', 'attempt'];
const SEND_OPTIONS: readonly (keyof SendOptions)[] = ['signal', 'timeoutMs', 'deadlineMs', 'retry'];

/** @throws PaymentsValidationError */
export function checkEnlistOptions(options: unknown, operation: MoneyOperation): EnlistOptions {
  return checkCallOptions(options, operation, ENLIST_OPTIONS);
}

/** @throws PaymentsValidationError that says that the payment stays planned. */
export function checkSendOptions(options: unknown, operation: MoneyOperation): SendOptions {
  try {
    return checkCallOptions(options, operation, SEND_OPTIONS);
  } catch (error) {
    throw isPaymentsError(error) ? stillPlanned(error) : error;
  }
}

/** What enlisting does if the journal holds a payment under the reference. */
type EnlistDecision =
  | { readonly act: 'plan'; readonly attempt: number; readonly idempotencyKey?: string }
  /** It is the same payment, and the journal looks after it already. */
  | { readonly act: 'existing' }
  | Refusal;

/** Decides about a payment that is to be planned by the existing record of its reference. */
export function decideEnlisting(existing: StoredJournalRecord, asked: RequestedPayment): EnlistDecision {
  const { record } = existing;
  const decision = decideWithoutProbe(existing, asked);
  switch (decision.act) {
    case 'begin':
      return { ...decision, act: 'plan' };
    case 'send-planned':
    case 'repeat-answer':
      return { act: 'existing' };
    case 'unknown': {
      // A refused one that may still run is another attempt, which cannot be planned yet.
      const isSame = record.state === 'in-flight' || record.state === 'unknown';
      if (decision.damaged !== undefined || !isSame) return decision;
      if (usesAnotherKey(record, asked)) return { act: 'refuse', because: 'another-key' };
      if (isProbed(existing)) return { act: 'unknown', evidence: 'in-flight' };
      return mayLeaveNothing(record) ? decision : { act: 'existing' };
    }
    default:
      return decision;
  }
}

/**
 * A direct call removes its payment if it sends nothing, also after its lease: its process may have been frozen. What
 * `recover()` has made unknown, the call does not remove.
 */
function mayLeaveNothing({ state, plannedAt }: JournalRecord): boolean {
  return state === 'in-flight' && plannedAt === undefined;
}

/** A probe that sends nothing restores the record, which may be a direct call's. */
function isProbed({ record: { state, plannedAt, probe }, leaseLeftMs }: StoredJournalRecord): boolean {
  return state === 'unknown' && plannedAt === undefined && probe === undefined && leaseLeftMs > 0;
}

/** Each further try means that another transaction changed the payment in between. */
const TRIES = 10;

/**
 * Writes a payment down in a transaction of the application.
 *
 * @returns The record of the payment, which may be an earlier one.
 * @throws PaymentsConfigError if the storage has no transactions, or `transaction` is none of its database.
 * @throws ReferenceReusedError, PaymentOutcomeUnknownError and PaymentsValidationError as a call of the payment.
 * @throws PaymentsStorageError if the payment could not be written: the transaction must not be committed.
 */
export async function writePlanned(
  store: JournalStore,
  transaction: unknown,
  asked: RequestedPayment,
  payment: NewPayment,
): Promise<JournalRecord> {
  if (!store.within) throw noTransactions();
  try {
    return await write(await store.within(transaction), asked, payment);
  } catch (error) {
    if (error instanceof PaymentsStorageError) throw notWritten(payment, error);
    if (isPaymentsError(error)) throw error;
    throw notPlanned(payment, failureLabel(error));
  }
}

async function write(
  journal: JournalInTransaction,
  asked: RequestedPayment,
  payment: NewPayment,
): Promise<JournalRecord> {
  const first = toPlanned(payment, asked.attempt ?? 1, asked.idempotencyKey);
  for (let tries = 0; tries < TRIES; tries += 1) {
    const { inserted, stored, tombstone } = await journal.insert(first, 0);
    if (tombstone) throw referenceForgotten(payment, tombstone);
    if (inserted) return stored.record;
    const decision = decideEnlisting(stored, asked);
    if (decision.act === 'existing') return stored.record;
    if (decision.act !== 'plan') throw refusalError(stored.record, decision);
    const next = toPlanned(payment, decision.attempt, asked.idempotencyKey, decision.idempotencyKey);
    const again = asBefore(next, withCountedDay(stored).record);
    const replaced = await journal.replace(stored.version, again, 0);
    if (replaced) return replaced.record;
  }
  throw notPlanned(payment, 'other processes keep changing this payment');
}

function refusalError(
  record: JournalRecord,
  decision: Exclude<EnlistDecision, { readonly act: 'plan' | 'existing' }>,
): Error {
  switch (decision.act) {
    case 'refuse':
      return referenceReused(record, decision.because);
    case 'refuse-attempt':
      return attemptRefused(record, decision.next);
    case 'refuse-key':
      return keyRefused(record);
    case 'unknown':
      return decision.damaged === undefined && (decision.evidence === 'in-flight' || mayLeaveNothing(record))
        ? mayYetSendNothing(record, decision.evidence)
        : existingPaymentUnknown(record, decision.evidence, decision.damaged);
    default:
      return enlistedRefused(record);
  }
}

function noTransactions(): PaymentsConfigError {
  return new PaymentsConfigError(
    'The storage of this account has no transactions, so no payment can be enlisted in one: set the option storage to ' +
      'postgresStorage({ pool }), sqlStorage({ executor }) or sqliteStorage({ file }) on the database of the application.',
  );
}

const HINT = 'Roll the transaction back, then run it again.';

/** Only the journal knows an earlier payment of the reference. */
function notWritten(
  { reference }: JournalKey,
  { message, hint = HINT, cause }: PaymentsStorageError,
): PaymentsStorageError {
  return new PaymentsStorageError(message, { reference, hint, cause }, 'not-by-this-call');
}

function notPlanned({ family, reference }: JournalKey, why: string): PaymentsStorageError {
  return new PaymentsStorageError(
    `The ${family} could not be written in the transaction: ${why}.`,
    { reference, hint: HINT },
    'not-by-this-call',
  );
}
