import { OPERATION_FACTS, REFUSAL_FACTS, type RefusalFact } from '../../../gateway-profile/facts.js';
import { differs, type Finding, held, learnt } from './finding.js';
import { type HeardAnswer, type Observation, type StepOperation } from './question.js';
import { codeOf, isAccepted, type KnownAnswer, type UnexpectedAnswer } from './step-answer.js';

/** What every answer of a run shows, whichever question it was for. */
export const OBSERVATIONS: readonly Observation[] = [
  {
    name: 'HTTP statuses of successes',
    point: 'statuses of successes',
    asks: 'With which HTTP status does each operation succeed?',
    concludes: (heard) => [
      ...shownSuccess(heard),
      ...OPERATION_FACTS.flatMap((operation) => successOf(operation, heard)),
    ],
  },
  {
    name: 'HTTP statuses of refusals',
    point: 'error statuses',
    asks: 'With which HTTP status does each refusal come?',
    concludes: (heard) => [
      ...REFUSAL_FACTS.flatMap((code) => statusOf(code, heard)),
      ...statusOfFields(heard),
    ],
  },
  {
    name: 'error shapes',
    point: 'shows three error shapes',
    asks: 'In which shape does each refusal come?',
    concludes: (heard) => REFUSAL_FACTS.flatMap((code) => shapeOf(code, heard)),
  },
  {
    name: 'unknown answers',
    point: 'lists error codes, perhaps not all',
    asks: 'Is every answer in a form that the specification shows?',
    concludes: unknownAnswers,
  },
];

function shownSuccess(heard: readonly HeardAnswer[]): readonly Finding[] {
  const answers = successes('POST /payments/mobile-money', heard);
  if (answers.length === 0) return [];
  return answers.every(({ status }) => status === 200)
    ? held('POST /payments/mobile-money succeeds with 200', answers)
    : differs(`POST /payments/mobile-money succeeds with ${listed(answers)}`, answers);
}

function successOf(
  operation: (typeof OPERATION_FACTS)[number],
  heard: readonly HeardAnswer[],
): readonly Finding[] {
  const answers = successes(operation, heard);
  const [first] = answers;
  if (!first) return [];
  return answers.every(({ status }) => status === first.status)
    ? learnt(`success of ${operation}`, first.status, `${operation} succeeds with ${first.status}`, answers)
    : differs(`the success of ${operation} varies: ${listed(answers)}`, answers);
}

function statusOf(code: RefusalFact, heard: readonly HeardAnswer[]): readonly Finding[] {
  const answers = refusals(code, heard);
  const [first] = answers;
  if (!first) return [];
  return answers.every(({ status }) => status === first.status)
    ? learnt(`status of ${code}`, first.status, `${code} comes with ${first.status}`, answers)
    : differs(`the status of ${code} varies: ${listed(answers)}`, answers);
}

function statusOfFields(heard: readonly HeardAnswer[]): readonly Finding[] {
  const answers = known(heard).filter((answer) => answer.kind === 'refused' && answer.shape === 'C');
  const [first] = answers;
  if (!first) return [];
  return answers.every(({ status }) => status === first.status)
    ? learnt('status of wrong fields', first.status, `messages by field come with ${first.status}`, answers)
    : differs(`the status of messages by field varies: ${listed(answers)}`, answers);
}

function shapeOf(code: RefusalFact, heard: readonly HeardAnswer[]): readonly Finding[] {
  const answers = refusals(code, heard);
  const shapes = [...new Set(answers.map((answer) => answer.kind === 'refused' && answer.shape))];
  const [shape] = shapes;
  if (!shape) return [];
  return shapes.length === 1
    ? learnt(`shape of ${code}`, shape, `${code} comes in shape ${shape}`, answers)
    : differs(`the shape of ${code} varies`, answers);
}

function unknownAnswers(heard: readonly HeardAnswer[]): readonly Finding[] {
  const unexpected = heard
    .map(({ answer }) => answer)
    .filter((answer): answer is UnexpectedAnswer => answer.kind === 'unexpected');
  if (unexpected.length > 0)
    return differs([...new Set(unexpected.map(({ why }) => why))].join('; '), unexpected);
  const answers = known(heard);
  return answers.length > 0 ? held('every answer has a listed code and a shown shape', []) : [];
}

function successes(operation: StepOperation, heard: readonly HeardAnswer[]): readonly KnownAnswer[] {
  return known(heard.filter((answer) => answer.operation === operation)).filter(isAccepted);
}

function refusals(code: RefusalFact, heard: readonly HeardAnswer[]): readonly KnownAnswer[] {
  return known(heard).filter((answer) => codeOf(answer) === code);
}

function known(heard: readonly HeardAnswer[]): readonly KnownAnswer[] {
  return heard
    .map(({ answer }) => answer)
    .filter((answer): answer is KnownAnswer => answer.kind === 'accepted' || answer.kind === 'refused');
}

function listed(answers: readonly KnownAnswer[]): string {
  return [...new Set(answers.map(({ status }) => status))].sort((left, right) => left - right).join(', ');
}
