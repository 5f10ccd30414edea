import { type AnswerName } from './answers.js';

/** What becomes of one request: what is answered, and whether the money moves, at once or long after the caller has gone. */
export interface PlannedRequest {
  readonly answer: AnswerName;
  readonly effect: 'none' | 'now' | 'late';
}

/**
 * What happens around the nth write to the journal.
 *
 * - `fails`: it is not written.
 * - `answer lost`: it is written, and the process gets a failure.
 * - `late`: the process gets a failure, and it is written long after that.
 * - `partition`: nothing reaches the journal from here to the end of the step.
 * - `cut off`: nothing reaches the journal from here on, and the process dies at the end of the step.
 * - `dies before`, `dies after`: the process ends.
 */
export interface StoreTrouble {
  readonly nth: 1 | 2 | 3;
  readonly kind: 'fails' | 'answer lost' | 'late' | 'partition' | 'cut off' | 'dies before' | 'dies after';
}

/**
 * What happens while the first request of a call is at the gateway.
 *
 * - `webhook`: the payment ends, and its webhook comes before the answer.
 * - `operator`: the payment ends, and an operator tells the journal before the answer comes.
 * - `row vanishes`: a fail-over of the database loses the payment.
 * - `others act`: time passes, and another replica recovers and makes the same call.
 * - `process dies`: its storage stays.
 * - `caller gives up`: its signal fires.
 */
export type Meanwhile =
  'nothing' | 'webhook' | 'operator' | 'row vanishes' | 'others act' | 'process dies' | 'caller gives up';

export type Family = 'collection' | 'disbursement';

/** One reference of one family. */
export interface Slot {
  readonly family: Family;
  readonly reference: 'first' | 'second';
}

export interface PlannedCall extends Slot {
  /** An index into the operations of its family. */
  readonly channel: number;
  readonly amount: '1000.00' | '2500.50';
  /** `once`: one try only; `short`: no time for a further one. */
  readonly options: 'plain' | 'once' | 'short' | 'own key' | 'attempt 2' | 'aborted before';
}

export type Replica = 0 | 1;

export interface CallStep {
  readonly do: 'call';
  readonly by: Replica;
  readonly call: PlannedCall;
  readonly requests: readonly PlannedRequest[];
  readonly meanwhile: Meanwhile;
  readonly trouble: StoreTrouble | undefined;
  /** Nobody listens at the gateway's address. */
  readonly unreachable: boolean;
  /** The process is killed as soon as the caller has its result, whatever it still has to write. */
  readonly killedAfterwards: boolean;
}

export interface RecoverStep {
  readonly do: 'recover';
  readonly by: Replica;
  /** The other replica recovers at the same time. */
  readonly twice: boolean;
  readonly requests: readonly PlannedRequest[];
  readonly trouble: StoreTrouble | undefined;
}

export interface TwoCallsStep {
  readonly do: 'two calls at once';
  readonly calls: readonly [PlannedCall, PlannedCall];
  /** The second one is made by another replica. */
  readonly elsewhere: boolean;
  readonly requests: readonly PlannedRequest[];
}

/** A payment is enlisted in a transaction of the merchant. */
export interface EnlistStep {
  readonly do: 'enlist';
  readonly by: Replica;
  readonly call: PlannedCall;
  /** It is enlisted a second time in the same transaction. */
  readonly twice: boolean;
  /** How the transaction ends; `dies …`: its process ends before or after the COMMIT. */
  readonly ends: 'commit' | 'rollback' | 'dies before' | 'dies after';
  /** Who sends the payment after the commit; `both replicas`: the other one calls at the same time. */
  readonly then: 'nobody' | 'send' | 'both replicas';
  readonly requests: readonly PlannedRequest[];
  /** What the journal does while it is sent. */
  readonly trouble: StoreTrouble | undefined;
}

/** How a payment ends: an index into the ends of its family. */
export type HowItEnds = 0 | 1 | 2 | 3;

export type Step =
  | CallStep
  | TwoCallsStep
  | RecoverStep
  | EnlistStep
  /** The customer or the provider brings the payment to its end. */
  | { readonly do: 'decide'; readonly slot: Slot; readonly how: HowItEnds }
  /** An operator looks at the gateway's ledger and tells the journal. */
  | { readonly do: 'settle'; readonly slot: Slot }
  | { readonly do: 'let late requests and writes arrive' }
  | { readonly do: 'restart'; readonly replica: Replica }
  | { readonly do: 'let time pass'; readonly ms: number }
  /** Months pass, and the journal forgets what it may. */
  | { readonly do: 'purge' }
  /** Others pay, and a journal of few entries makes room. */
  | { readonly do: 'other payments' };

/**
 * What the application has added to the package's HTTP client.
 *
 * - `sends again`: it tries a request that failed a second time by itself.
 * - `sends elsewhere`: the same, through another client.
 * - `another key`, `throws`: every other request gets another key and another signal, or ends before it is sent.
 */
export type Interceptor = 'none' | 'harmless' | 'sends again' | 'sends elsewhere' | 'another key' | 'throws';

/** One story, from an empty journal to its end. */
export interface Plan {
  readonly probe: { readonly collections: boolean; readonly disbursements: boolean };
  /** Whether the gateway can be asked for the outcome of a payment. */
  readonly asksForStatus: boolean;
  /** A journal in memory makes room if it holds more than this; undefined: it never does. */
  readonly journalSize: 2 | undefined;
  readonly interceptor: Interceptor;
  readonly steps: readonly Step[];
  /** How long the last recovery waits: inside the recovery window, or after it. */
  readonly lastWaitMs: number;
}
