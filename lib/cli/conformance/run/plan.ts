import { formatCents } from '../../../common/money.js';
import { UsageError } from '../../usage-error.js';
import {
  INPUT_OPTIONS,
  type LimitSearch,
  missingInputs,
  type Question,
  type QuestionInputs,
  type Step,
  type StepOperation,
} from '../questions/question.js';
import { mostHalvings, nextOf } from '../questions/limit-search.js';
import { QUESTIONS } from '../questions/questions.js';
import { type KnownAnswer } from '../questions/step-answer.js';
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
  /** What it costs at most. */
  readonly cost: RunCost;
  /** With a search: the request after these answers, in place of the planned one; undefined: it has ended. */
  readonly next?: (answers: readonly KnownAnswer[]) => Step | undefined;
  /** Why it is left out, as a clause; undefined if it is asked. */
  readonly leftOut?: string;
}

/** What moves at most, and how many payments could be accepted: the gateway takes a fee for each, which no cap knows. */
interface RunCost extends StepMoney {
  readonly collections: number;
  readonly payouts: number;
}

/** One request that may be sent. */
interface PlannedRequest extends StepMoney {
  readonly question: string;
  /** From 0 on. */
  readonly step: number;
  readonly operation: StepOperation;
}

/** Everything that a run may send. */
export interface RunPlan {
  readonly caps: RunCaps;
  readonly inputs: QuestionInputs;
  /** Every question, in order. */
  readonly questions: readonly PlannedQuestion[];
  /** Every request that may be sent, in order. Fewer are, where an answer makes the next one needless. */
  readonly requests: readonly PlannedRequest[];
  /** Less than the sum of the requests: of the rungs of a search one is accepted at most. */
  readonly cost: RunCost;
}

/** The requests of a question within what is left. */
type PlannedSteps = Pick<PlannedQuestion, 'steps' | 'cost' | 'next'>;

const NO_COST: RunCost = { ...NO_MONEY, collections: 0, payouts: 0 };

/**
 * Makes the plan of a run. Leaves out whole questions that would pass a cap, and of a search what does not fit.
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
  let cost = NO_COST;
  const planned = questions.map((question): PlannedQuestion => {
    const missing = missingInputs(question, inputs);
    if (missing.length > 0) {
      return left(question, `needs ${missing.map((need) => INPUT_OPTIONS[need]).join(', ')}`);
    }
    const pointless = question.isPointless?.(inputs);
    if (pointless !== undefined) return left(question, pointless);
    const centsLeft = caps.maxAmountCents - totalOf(cost);
    const asked = stepsOf(question, inputs, { maxAmountCents: centsLeft, maxRequests: requestsLeft });
    if (asked.steps.length === 0 || totalOf(asked.cost) > centsLeft) {
      return left(question, `would pass --max-amount ${formatCents(BigInt(caps.maxAmountCents))}`);
    }
    if (asked.steps.length > requestsLeft)
      return left(question, `would pass --max-requests ${caps.maxRequests}`);
    requestsLeft -= asked.steps.length;
    cost = sum(cost, asked.cost);
    return { question, ...asked };
  });
  return { caps, inputs, questions: planned, requests: planned.flatMap(requestsOf), cost };
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
  return { question, steps: [], cost: NO_COST, leftOut };
}

function stepsOf(
  { search, steps: stepsWith }: Question,
  inputs: QuestionInputs,
  rest: RunCaps,
): PlannedSteps {
  if (search) return searchSteps(search, inputs, rest);
  const steps = stepsWith(inputs);
  return { steps, cost: steps.map(costOf).reduce(sum, NO_COST) };
}

/** A search loses the rungs above the cap. It narrows the limit down only if there is enough for the worst case. */
function searchSteps(search: LimitSearch, inputs: QuestionInputs, rest: RunCaps): PlannedSteps {
  const all = search.rungs.map((rung) => search.step(inputs, rung));
  const above = all.findIndex((step) => totalOf(moneyOf(step)) > rest.maxAmountCents);
  const rungs = above === -1 ? all : all.slice(0, above);
  const kept = { ...search, rungs: search.rungs.slice(0, rungs.length) };
  const dearest = rungs.reduce<Step | undefined>(
    (most, step) => (most && totalOf(moneyOf(most)) >= totalOf(moneyOf(step)) ? most : step),
    undefined,
  );
  if (!dearest) return { steps: [], cost: NO_COST };
  const next = (answers: readonly KnownAnswer[]): Step | undefined => nextOf(kept, inputs, answers);
  const withHalvings = (count: number): PlannedSteps => {
    // One rung is accepted at most, and each value below it, and the control.
    const accepted = Array<Step>(count + 1).fill(dearest);
    return { steps: [...rungs, ...accepted.slice(1)], cost: accepted.map(costOf).reduce(sum, NO_COST), next };
  };
  const whole = withHalvings(mostHalvings(kept) + (search.control ? 1 : 0));
  const fits = totalOf(whole.cost) <= rest.maxAmountCents && whole.steps.length <= rest.maxRequests;
  return fits ? whole : withHalvings(0);
}

function costOf(step: Step): RunCost {
  const { inCents, outCents } = moneyOf(step);
  return { inCents, outCents, collections: inCents > 0 ? 1 : 0, payouts: outCents > 0 ? 1 : 0 };
}

function requestsOf({ question: { name }, steps }: PlannedQuestion): readonly PlannedRequest[] {
  return steps.map((step, index) => ({
    question: name,
    step: index,
    operation: step.operation,
    ...moneyOf(step),
  }));
}

function sum(one: RunCost, other: RunCost): RunCost {
  return {
    inCents: one.inCents + other.inCents,
    outCents: one.outCents + other.outCents,
    collections: one.collections + other.collections,
    payouts: one.payouts + other.payouts,
  };
}

/** In both directions together. */
export function totalOf({ inCents, outCents }: StepMoney): number {
  return inCents + outCents;
}
