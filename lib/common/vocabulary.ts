/**
 * Name of the merchant account of a registration without a `name`.
 *
 * @publicApi
 */
export const DEFAULT_ACCOUNT = 'default';

/**
 * Which of the gateway's two environments a pair of keys belongs to (specification, "Versioning" 2).
 *
 * @publicApi
 */
export type PaymentsEnvironment = 'sandbox' | 'production';

/**
 * The two kinds of money movement. A merchant reference is unique within one family
 * (specification, "Limits" 3).
 *
 * @publicApi
 */
export type PaymentFamily = 'collection' | 'disbursement';

/** Both kinds of money movement, in the order in which they are gone through. */
export const PAYMENT_FAMILIES = ['collection', 'disbursement'] as const satisfies readonly PaymentFamily[];

/** Statuses of a collection (specification, "States and transitions"). */
export const COLLECTION_STATUSES = [
  'pending',
  'processing',
  'success',
  'failed',
  'cancelled',
  'expired',
] as const;

/** Statuses of a disbursement (specification, "States and transitions"). */
export const DISBURSEMENT_STATUSES = ['pending', 'processing', 'paid', 'failed', 'cancelled'] as const;

/** Channels of a name lookup (specification, "Endpoints" 5). */
export const LOOKUP_CHANNELS = ['MOBILE_MONEY', 'BANK', 'PARTNERPESA'] as const;

/**
 * Status of a collection. A value that the specification does not list is kept as it came.
 *
 * @useDeclaredType
 * @publicApi
 */
export type CollectionStatus = (typeof COLLECTION_STATUSES)[number] | (string & {});

/**
 * Status of a disbursement. A value that the specification does not list is kept as it came.
 *
 * @useDeclaredType
 * @publicApi
 */
export type DisbursementStatus = (typeof DISBURSEMENT_STATUSES)[number] | (string & {});

/** The statuses with which a payment ends, per family (specification, "States and transitions"). */
export const FINAL_STATUSES = {
  collection: ['success', 'failed', 'cancelled', 'expired'],
  disbursement: ['paid', 'failed', 'cancelled'],
} as const;

/**
 * How a payment ended. Money moved with `success` (collections) and `paid` (disbursements) only.
 *
 * @useDeclaredType
 * @publicApi
 */
export type PaymentOutcome = (typeof FINAL_STATUSES)['collection' | 'disbursement'][number];

/**
 * How a payment of one family ended: a collection that was paid says `success`, and a payout that was paid says `paid`.
 *
 * @useDeclaredType
 * @publicApi
 */
export type OutcomeOf<F extends PaymentFamily> = (typeof FINAL_STATUSES)[F][number];

/** Whether money moved in a payment that ended so. */
export function movesMoney(outcome: PaymentOutcome | undefined): boolean {
  return outcome === 'success' || outcome === 'paid';
}

/**
 * Why the outcome of a payment is not known. `conflict`: the gateway refused the payment, nobody had sent the planned
 * payment, or an operator wrote down that it ended without success, and the gateway acknowledged it afterwards.
 *
 * @publicApi
 */
export type OutcomeEvidence =
  | 'no-answer'
  | 'bad-answer'
  | 'server-error'
  | 'provider-error'
  | 'echo-mismatch'
  | 'duplicate-request'
  | 'duplicate-reference'
  | 'unlisted-code'
  | 'refused-after-ambiguity'
  | 'aborted'
  | 'in-flight'
  | 'interrupted'
  | 'conflict';

/**
 * Which wait comes before the one further try with the same key: after an answer that says nothing, or after silence.
 *
 * @publicApi
 */
export type ProbeWait = 'after-answer' | 'after-silence';

/**
 * What is known about one try of a call.
 *
 * - `not-sent`: nothing left this machine.
 * - `ambiguous`: bytes may have left, and no complete, readable answer came.
 * - `answered`: a complete answer came.
 *
 * @publicApi
 */
export type AttemptPhase = 'not-sent' | 'ambiguous' | 'answered';

/**
 * One try of a call, in the order of sending.
 *
 * @publicApi
 */
export interface AttemptInfo {
  /** 1 for the first try. */
  readonly number: number;
  /** How far this try came. */
  readonly phase: AttemptPhase;
  /** HTTP status of the answer, if one came. */
  readonly httpStatus?: number;
  /** The gateway's response code, or the network's error code. */
  readonly code?: string;
  /** Wall-clock time of this try in milliseconds. */
  readonly durationMs: number;
}

/** The states of a payment in the journal. */
export const JOURNAL_STATES = ['planned', 'in-flight', 'accepted', 'rejected', 'unknown', 'settled'] as const;

/**
 * The state of a payment in the journal.
 *
 * - `planned`: committed with a transaction of the application (`enlist…`), and still to be sent. Nothing was sent,
 *   except requests that the gateway turned away.
 * - `in-flight`: written down, and its end is not.
 * - `accepted`: the gateway took it; its outcome is still to come.
 * - `rejected`: the gateway refused it or turned it away, or a batch gave up the attempt before a request left.
 *   `JournalEntry.final` says whether that is certain.
 * - `unknown`: money may have moved.
 * - `settled`: it ended with `outcome`.
 *
 * @useDeclaredType
 * @publicApi
 */
export type JournalState = (typeof JOURNAL_STATES)[number];

/**
 * One merchant account in one of the gateway's environments.
 *
 * @publicApi
 */
export interface InboxScope {
  /** Name of the merchant account. */
  readonly account: string;
  /** Which environment the account's keys belong to. */
  readonly environment: PaymentsEnvironment;
}

/**
 * What an inbox entry is about.
 *
 * - `outcome`: the final state of a payment.
 * - `conflict`, `mismatch`: a delivery that was set aside.
 * - `unrecognized`: an event whose name the specification does not know.
 * - `unknown-reference`: an event for a payment that the journal does not know.
 *
 * @publicApi
 */
export type InboxKind = 'outcome' | SetAsideKind;

/**
 * Why a delivery is stored instead of handled.
 *
 * - `conflict`: it contradicts the outcome that its payment has.
 * - `mismatch`: it contradicts itself, or the amount, currency or reference of its payment.
 * - `unrecognized`: the specification does not know its name, and no handler listens to such events.
 * - `unknown-reference`: the journal does not know its payment, and the option `webhooks.unknownReferences`
 *   is `set-aside`.
 *
 * @publicApi
 */
export type SetAsideKind = 'conflict' | 'mismatch' | 'unrecognized' | 'unknown-reference';
