import { type GatewayCode } from '../../lib/errors/gateway-codes.js';
import { conclude } from '../../lib/cli/conformance/questions/conclude.js';
import { QUESTIONS } from '../../lib/cli/conformance/questions/questions.js';
import { type Question } from '../../lib/cli/conformance/questions/question.js';
import {
  type Accepted,
  type Faulty,
  type RefusedByCode,
  type RefusedByFields,
  type StepAnswer,
  type UnexpectedAnswer,
} from '../../lib/cli/conformance/questions/step-answer.js';

export const LOST: Faulty = { kind: 'fault', why: 'its answer was lost' };

export const UNEXPECTED: UnexpectedAnswer = {
  kind: 'unexpected',
  why: 'the code NO_SUCH_CODE is not listed',
  status: 422,
  headers: [],
};

export function accepted(data: unknown = {}, rest: Partial<Accepted> = {}): Accepted {
  return { kind: 'accepted', status: 200, headers: [], requestId: 'id-of-success', data, ...rest };
}

export function refused(code: GatewayCode, rest: Partial<RefusedByCode> = {}): RefusedByCode {
  return { kind: 'refused', shape: 'B', code, status: 422, headers: [], ...rest };
}

export function wrong(...fields: readonly string[]): RefusedByFields {
  return { kind: 'refused', shape: 'C', fields, status: 422, headers: [] };
}

export function questionNamed(name: string): Question {
  const question = QUESTIONS.find((row) => row.name === name);
  if (!question) throw new Error(`no question has the name ${name}`);
  return question;
}

/**
 * The verdict of a question with the value of its fact, as `learnt used`.
 *
 * @param laterMs How long after the first answer the others came. Left out: an hour.
 */
export function verdictOf(name: string, answers: readonly StepAnswer[], laterMs = 3_600_000): string {
  return conclude(questionNamed(name), answers, timesOf(answers, laterMs))
    .map(({ verdict, fact }) => (fact ? `${verdict} ${fact.value}` : verdict))
    .join(', ');
}

/** The first answer came at 0, the others so much later. */
export function timesOf(answers: readonly StepAnswer[], laterMs: number): readonly number[] {
  return answers.map((_, index) => (index === 0 ? 0 : laterMs));
}
