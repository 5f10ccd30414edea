import { type Conclusion } from '../conclusion.js';
import { differs, type Finding, silent } from './finding.js';
import { boundsOf, rangeOf } from './limit-search.js';
import { type AnswerTimes, type HeardAnswer, type Observation, type Question } from './question.js';
import { type KnownAnswer, type StepAnswer } from './step-answer.js';

/** What a question shows by its answers. A failure never becomes a fact, nor does an answer in an unknown form. */
export function conclude(
  question: Question,
  answers: readonly StepAnswer[],
  heardAt: AnswerTimes,
): readonly Conclusion[] {
  return named(question.name, findings(question, answers, heardAt));
}

/** What every answer of a run shows. */
export function observe(observation: Observation, heard: readonly HeardAnswer[]): readonly Conclusion[] {
  return named(observation.name, observation.concludes(heard));
}

/** The conclusion about a question that was not asked, or not to its end. */
export function unanswered({ name }: Question, says: string): readonly Conclusion[] {
  return named(name, silent(says));
}

function findings(
  question: Question,
  answers: readonly StepAnswer[],
  heardAt: AnswerTimes,
): readonly Finding[] {
  const known: KnownAnswer[] = [];
  for (const answer of answers) {
    const at = `request ${known.length + 1}`;
    if (answer.kind === 'fault') {
      const { search } = question;
      return silent(`${at}: ${answer.why}`, answers, search && rangeOf(search, boundsOf(search, known)));
    }
    if (answer.kind === 'unexpected') return differs(`${at}: ${answer.why}`, answers);
    known.push(answer);
  }
  return question.concludes(known, heardAt);
}

function named(question: string, found: readonly Finding[]): readonly Conclusion[] {
  return found.map((finding) => ({ question, ...finding }));
}
