import { type Conclusion } from '../conclusion.js';
import { ASKED_IN_PART } from '../questions/not-asked.js';
import { OBSERVATIONS } from '../questions/observations.js';
import { PERSON_QUESTIONS } from '../questions/person.questions.js';
import { QUESTIONS } from '../questions/questions.js';
import { WEBHOOK_QUESTIONS } from '../webhooks/webhook-questions.js';
import { LETTER_QUESTIONS, type LetterQuestion } from './letter-questions.js';

const POINTS = new Map(
  [...QUESTIONS, ...OBSERVATIONS, ...PERSON_QUESTIONS, ...WEBHOOK_QUESTIONS].map(({ name, point }) => [
    name,
    point,
  ]),
);

/** What the letter asks: the points about which nothing was found, a question was silent, or a part cannot be asked. */
export function openQuestions(conclusions: readonly Conclusion[]): readonly LetterQuestion[] {
  return LETTER_QUESTIONS.filter(({ point }) => {
    const own = conclusions.filter((conclusion) => pointOf(conclusion) === point);
    return (
      own.length === 0 ||
      Object.hasOwn(ASKED_IN_PART, point) ||
      own.some(({ verdict }) => verdict === 'silent')
    );
  });
}

/** The number of a question in the letter; undefined: the letter does not ask it. */
export function letterNumber(letter: readonly LetterQuestion[], conclusion: Conclusion): number | undefined {
  const place = letter.findIndex(({ point }) => point === pointOf(conclusion));
  return place < 0 ? undefined : place + 1;
}

function pointOf({ question }: Conclusion): string | undefined {
  return POINTS.get(question);
}
