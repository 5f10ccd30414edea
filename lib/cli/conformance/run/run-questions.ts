import { setTimeout as sleep } from 'node:timers/promises';
import { type Conclusion } from '../conclusion.js';
import { conclude, observe, unanswered } from '../questions/conclude.js';
import { OBSERVATIONS } from '../questions/observations.js';
import { type HeardAnswer, type Step } from '../questions/question.js';
import { type KnownAnswer, type StepAnswer } from '../questions/step-answer.js';
import { type Conversation, type Heard } from './conversation.js';
import { type PlannedQuestion, type RunPlan } from './plan.js';

export interface RunQuestionsOptions {
  /** Finishes the request under way, then asks nothing more. */
  readonly signal?: AbortSignal;
  /** Waits after a 429. Left out: a timer. */
  readonly wait?: (milliseconds: number, signal: AbortSignal | undefined) => Promise<void>;
}

/** What one question showed, or everything that was heard. */
export interface QuestionResult {
  /** The name of the question or of the observation. */
  readonly question: string;
  readonly conclusions: readonly Conclusion[];
  /** The answers to its requests, in order; none for an observation. */
  readonly answers: readonly Heard[];
}

const LONGEST_WAIT_S = 60;

/**
 * Asks every question of the plan in order, and gives the conclusions of each as soon as it was answered; in the end those from all
 * answers together.
 */
export async function* runQuestions(
  plan: RunPlan,
  conversation: Conversation,
  { signal, wait = waitFor }: RunQuestionsOptions = {},
): AsyncGenerator<QuestionResult, void, undefined> {
  const heard: HeardAnswer[] = [];
  let pauseS = 0;
  for (const planned of plan.questions) {
    const { question, steps, leftOut } = planned;
    if (leftOut === undefined && pauseS > 0) {
      await wait(pauseS * 1_000, signal);
      pauseS = 0;
    }
    const answers: Heard[] = [];
    let isStopped = false;
    const stepAfter = (): Step | undefined => nextStep(planned, answers.map(answerIn));
    for (let step = stepAfter(); step; step = stepAfter()) {
      isStopped = signal?.aborted === true;
      if (isStopped) break;
      const index = answers.length;
      const asked = await conversation.ask({ ...planned, steps: steps.with(index, step) }, index);
      const { answer, isNew } = asked;
      answers.push(asked);
      heard.push({ operation: step.operation, answer });
      if (isNew && answer.kind === 'fault') pauseS = Math.min(answer.retryAfter ?? 0, LONGEST_WAIT_S);
    }
    const conclusions = conclusionsOf(planned, answers, leftOut, isStopped);
    yield { question: question.name, conclusions, answers };
  }
  for (const observation of OBSERVATIONS)
    yield { question: observation.name, conclusions: observe(observation, heard), answers: [] };
}

function answerIn({ answer }: Heard): StepAnswer {
  return answer;
}

function conclusionsOf(
  { question }: PlannedQuestion,
  answers: readonly Heard[],
  leftOut: string | undefined,
  isStopped: boolean,
): readonly Conclusion[] {
  if (leftOut !== undefined) return unanswered(question, leftOut);
  if (isStopped) return unanswered(question, 'it was not asked to its end: the run was stopped');
  return conclude(
    question,
    answers.map(answerIn),
    answers.map(({ heardAt }) => heardAt),
  );
}

/** A failure or an unknown answer ends a question: what would follow it could not be understood. */
function nextStep({ steps, next }: PlannedQuestion, answers: readonly StepAnswer[]): Step | undefined {
  const step = steps[answers.length];
  const known = answers.filter(isKnown);
  if (!step || known.length < answers.length) return undefined;
  if (next) return next(known);
  const isSent = step.sentAfter ? step.sentAfter(known) : known.every(({ kind }) => kind === 'accepted');
  return isSent ? step : undefined;
}

function isKnown(answer: StepAnswer): answer is KnownAnswer {
  return answer.kind === 'accepted' || answer.kind === 'refused';
}

async function waitFor(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  // An abort ends the wait; the run sees it by itself.
  await sleep(milliseconds, undefined, signal && { signal }).catch(() => {});
}
