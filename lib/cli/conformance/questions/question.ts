import { type FactName } from '../../../gateway-profile/facts.js';
import { type Finding } from './finding.js';
import { type KnownAnswer, type StepAnswer } from './step-answer.js';

/** What the person gives who asks. The only phone and account numbers that can be reached. */
export interface QuestionInputs {
  /** The phone of the customer of collections. */
  readonly phone?: string;
  /** The phone of the customer of collections from the partner wallet. */
  readonly partnerPhone?: string;
  /** The phone that payouts go to. */
  readonly recipientPhone?: string;
  /** The network of `recipientPhone`. */
  readonly network?: string;
  /** The bank of `bankAccount`, as the gateway lists it. */
  readonly bankCode?: string;
  /** Another spelling of the same code. */
  readonly longBankCode?: string;
  /** The bank account that payouts go to. */
  readonly bankAccount?: string;
  /** The holder of `bankAccount`. */
  readonly accountName?: string;
  /** An account number of the same bank that nobody has. */
  readonly unknownAccount?: string;
  /** Where the status of a collection can be read, with `{reference}` in it. */
  readonly collectionStatusPath?: string;
  /** Where the status of a payout can be read, with `{reference}` in it. */
  readonly payoutStatusPath?: string;
  /** An amount in cents that is more than the wallet holds. */
  readonly aboveBalanceCents?: number;
  /** The same command is run again after an hour. */
  readonly afterAnHour?: true;
  /** The amount of a payment in cents. */
  readonly amountCents: number;
}

export type OptionalInput = Exclude<keyof QuestionInputs, 'amountCents'>;

/** How each input is called on the command line. */
export const INPUT_OPTIONS: Readonly<Record<OptionalInput, string>> = {
  phone: '--phone',
  partnerPhone: '--partner-phone',
  recipientPhone: '--recipient-phone',
  network: '--network',
  bankCode: '--bank-code',
  longBankCode: '--long-bank-code',
  bankAccount: '--bank-account',
  accountName: '--account-name',
  unknownAccount: '--unknown-account',
  collectionStatusPath: '--collection-status-path',
  payoutStatusPath: '--payout-status-path',
  aboveBalanceCents: '--above-balance',
  afterAnHour: '--after-an-hour',
};

/** The operations that questions ask; a status path is a GET of its own. */
export type StepOperation =
  | 'POST /payments/mobile-money'
  | 'POST /payments/partnerpesa'
  | 'GET /merchant-balance'
  | 'GET /bank-shortnames'
  | 'POST /disbursements/name-lookup'
  | 'POST /disbursements/bank'
  | 'POST /disbursements/mobile-money'
  | 'GET status';

/** One request of a question. Its key and its reference are derived from the run, unless it says otherwise. */
export interface Step {
  readonly operation: StepOperation;
  /** The body without its reference; a text is sent as it is. Left out: none. */
  readonly body?: Readonly<Record<string, unknown>> | string;
  /** The number of the step whose reference it has. Left out: its own. */
  readonly referenceOf?: number;
  /** The length of its reference in characters. Left out: 24. */
  readonly referenceLength?: number;
  /** The number of the step whose Idempotency-Key it has. Left out: its own. */
  readonly keyOf?: number;
  /** The credentials that it shows. Left out: the two headers. */
  readonly credentials?: 'bearer' | 'none' | 'wrong secret';
  /** The path of a GET of a status, with `{reference}` in it. */
  readonly path?: string;
  /** How long after the answer to the question's first request it is sent at the earliest. Left out: at once. */
  readonly notBeforeMs?: number;
  /** Whether it is sent, by the answers before it. Left out: if all of them were accepted. */
  readonly sentAfter?: (before: readonly KnownAnswer[]) => boolean;
}

/** How a limit is found: rungs are asked until one is taken, then the middle between what is refused and what is taken. */
export interface LimitSearch {
  readonly fact: FactName;
  /** In the order in which they are asked. */
  readonly rungs: readonly number[];
  /** Values between rungs are multiples of it first: a gateway may refuse finer ones for another reason. */
  readonly coarse: number;
  readonly step: (inputs: QuestionInputs, value: number) => Step;
  /** Whether it refuses the value, and nothing else. Any other refusal ends the search. */
  readonly isRefusal: (answer: KnownAnswer) => boolean;
  /** Is asked with the refused value after the limit was found, and shows what the limit is about. Left out: nothing is. */
  readonly control?: (inputs: QuestionInputs, refused: number) => Step;
}

/** One row of the questions. */
export interface Question {
  readonly name: string;
  /** The point of `docs/assumptions.md` that it is about, word for word. */
  readonly point: string;
  /** What it asks, in one sentence. */
  readonly asks: string;
  readonly needs: readonly OptionalInput[];
  /** Looks for a limit. Its steps are the rungs of the search then. */
  readonly search?: LimitSearch;
  /** Why its answers could show nothing with these inputs, as a clause; undefined: they can. */
  readonly isPointless?: (inputs: QuestionInputs) => string | undefined;
  /** Its requests. Depends on nothing but the inputs. */
  readonly steps: (inputs: QuestionInputs) => readonly Step[];
  /** What the answers show. Gets none that is a fault or in an unknown form. */
  readonly concludes: (answers: readonly KnownAnswer[], heardAt: AnswerTimes) => readonly Finding[];
}

/** When each answer came, in milliseconds since 1970. */
export type AnswerTimes = readonly (number | undefined)[];

/** What is concluded from every answer of a run, whatever its question was. */
export interface Observation {
  readonly name: string;
  readonly point: string;
  readonly asks: string;
  readonly concludes: (answers: readonly HeardAnswer[]) => readonly Finding[];
}

/** An answer with the operation that it came to. */
export interface HeardAnswer {
  readonly operation: StepOperation;
  readonly answer: StepAnswer;
}

/** What a question takes: all of its inputs are there. */
export function missingInputs({ needs }: Question, inputs: QuestionInputs): readonly OptionalInput[] {
  return needs.filter((need) => inputs[need] === undefined);
}
