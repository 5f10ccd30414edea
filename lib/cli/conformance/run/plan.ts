import { formatCents } from '../../../common/money.js';
import { UsageError } from '../../usage-error.js';
import {
  INPUT_OPTIONS,
  missingInputs,
  type Question,
  type QuestionInputs,
  type Step,
  type StepOperation,
} from '../questions/question.js';
import { QUESTIONS } from '../questions/questions.js';
import { moneyOf, NO_MONEY, type StepMoney } from './money-of-step.js';

/** What a run may not pass. */
export interface RunCaps {
  readonly maxRequests: number;
  /** The sum of everything that could move, in both directions, in cents. */
  readonly maxAmountCents: number;
}

/** A question with its requests, or with the reason why it is not asked. */
export interface PlannedQuestion {
  readonly question: Question;
  /** None if it is left out. */
  readonly steps: readonly Step[];
  /** Why it is left out, as a clause; undefined if it is asked. */
  readonly leftOut?: string;
}

/** One request that may be sent. */
export interface PlannedRequest extends StepMoney {
  readonly question: string;
  /** From 0 on. */
  readonly step: number;
  readonly operation: StepOperation;
}

/** Everything that a run may send. */
export interface RunPlan {
  readonly caps: RunCaps;
  /** Every question, in order. */
  readonly questions: readonly PlannedQuestion[];
  /** Every request that may be sent, in order. Fewer are, where an answer makes the next one needless. */
  readonly requests: readonly PlannedRequest[];
  /** What moves at most: less than the sum of the requests, because a ladder ends with the first one that is accepted. */
  readonly money: StepMoney;
}

/**
 * Makes the plan of a run. Leaves out whole questions that would pass a cap, and the upper steps of a ladder.
 *
 * @throws UsageError if an input is wrong.
 */
export function planRun(
  inputs: QuestionInputs,
  caps: RunCaps,
  questions: readonly Question[] = QUESTIONS,
): RunPlan {
  checkInputs(inputs);
  let requestsLeft = caps.maxRequests;
  let money = NO_MONEY;
  const planned = questions.map((question): PlannedQuestion => {
    const missing = missingInputs(question, inputs);
    if (missing.length > 0) {
      return left(question, `needs ${missing.map((need) => INPUT_OPTIONS[need]).join(', ')}`);
    }
    const centsLeft = caps.maxAmountCents - totalOf(money);
    const steps = withinCents(question, question.steps(inputs), centsLeft);
    const cost = costOf(question, steps);
    if (steps.length === 0 || totalOf(cost) > centsLeft) {
      return left(question, `would pass --max-amount ${formatCents(BigInt(caps.maxAmountCents))}`);
    }
    if (steps.length > requestsLeft) return left(question, `would pass --max-requests ${caps.maxRequests}`);
    requestsLeft -= steps.length;
    money = sum(money, cost);
    return { question, steps };
  });
  return { caps, questions: planned, requests: planned.flatMap(requestsOf), money };
}

function checkInputs({ amountCents, collectionStatusPath, payoutStatusPath }: QuestionInputs): void {
  if (!Number.isSafeInteger(amountCents) || amountCents < 1) {
    throw new UsageError('The amount of a payment is not one in cents above 0: write --amount 1.00.');
  }
  for (const path of [collectionStatusPath, payoutStatusPath]) {
    if (path !== undefined && !(path.startsWith('/') && path.includes('{reference}'))) {
      throw new UsageError(
        'A status path does not begin with / or has no {reference}: write --collection-status-path /payments/{reference}.',
      );
    }
  }
}

function left(question: Question, leftOut: string): PlannedQuestion {
  return { question, steps: [], leftOut };
}

/** A ladder loses what is above the cap; any other question has to be whole. */
function withinCents({ untilAccepted }: Question, steps: readonly Step[], cents: number): readonly Step[] {
  if (!untilAccepted) return steps;
  const above = steps.findIndex((step) => totalOf(moneyOf(step)) > cents);
  return above === -1 ? steps : steps.slice(0, above);
}

/** One step of a ladder moves money at most: the dearest, for all that is known. */
function costOf({ untilAccepted }: Question, steps: readonly Step[]): StepMoney {
  const all = steps.map(moneyOf);
  if (!untilAccepted) return all.reduce(sum, NO_MONEY);
  return all.reduce((most, one) => (totalOf(one) > totalOf(most) ? one : most), NO_MONEY);
}

function requestsOf({ question: { name }, steps }: PlannedQuestion): readonly PlannedRequest[] {
  return steps.map((step, index) => ({
    question: name,
    step: index,
    operation: step.operation,
    ...moneyOf(step),
  }));
}

function sum(one: StepMoney, other: StepMoney): StepMoney {
  return { inCents: one.inCents + other.inCents, outCents: one.outCents + other.outCents };
}

/** In both directions together. */
export function totalOf({ inCents, outCents }: StepMoney): number {
  return inCents + outCents;
}
