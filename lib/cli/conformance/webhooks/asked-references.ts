import { type Question } from '../questions/question.js';
import { PERSON_QUESTIONS } from '../questions/person.questions.js';
import { type Conversation, type Heard } from '../run/conversation.js';
import { movesMoney } from '../run/money-of-step.js';
import { type RunPlan } from '../run/plan.js';
import { type AskedEnding, type AskedReference } from './webhooks-heard.js';

const ENDINGS = new Map<string, AskedEnding>(PERSON_QUESTIONS.map(({ name, ending }) => [name, ending]));

/** The references of everything that a run may make, before it makes it. */
export function askedReferences(
  { questions }: RunPlan,
  conversation: Pick<Conversation, 'referencesOf'>,
): Map<string, AskedReference> {
  return new Map(
    questions.flatMap((planned) => {
      const references = conversation.referencesOf(planned);
      return planned.steps.flatMap(({ operation }, index) => {
        const reference = references[index];
        if (reference === undefined || !movesMoney(operation)) return [];
        return [[reference, { ending: endingOf(planned.question, operation), accepted: 'unknown' }] as const];
      });
    }),
  );
}

/** Takes note of what came of the requests that have these references. */
export function noteAnswers(
  asked: Map<string, AskedReference>,
  references: readonly string[],
  answers: readonly Heard[],
): void {
  for (const [index, { answer, isNew }] of answers.entries()) {
    const reference = references[index] ?? '';
    const known = asked.get(reference);
    if (known?.accepted !== 'unknown') continue;
    if (!isNew) asked.set(reference, { ...known, accepted: 'earlier' });
    else if (answer.kind === 'accepted') asked.set(reference, { ...known, accepted: 'now' });
  }
}

function endingOf({ name }: Question, operation: string): AskedEnding {
  return ENDINGS.get(name) ?? (operation.startsWith('POST /disbursements/') ? 'payout' : 'other');
}
