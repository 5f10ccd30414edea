import { type Question } from '../questions/question.js';
import { PERSON_QUESTIONS } from '../questions/person.questions.js';
import { type Conversation } from '../run/conversation.js';
import { movesMoney } from '../run/money-of-step.js';
import { type RunPlan } from '../run/plan.js';
import { type AskedEnding, type AskedReferences } from './webhooks-heard.js';

const ENDINGS = new Map<string, AskedEnding>(PERSON_QUESTIONS.map(({ name, ending }) => [name, ending]));

/** The references of everything that a run may make, before it makes it. */
export function askedReferences({ questions }: RunPlan, conversation: Conversation): AskedReferences {
  return new Map(
    questions.flatMap((planned) => {
      const references = conversation.referencesOf(planned);
      return planned.steps.flatMap(({ operation }, index) => {
        const reference = references[index];
        if (reference === undefined || !movesMoney(operation)) return [];
        return [[reference, endingOf(planned.question, operation)] as const];
      });
    }),
  );
}

function endingOf({ name }: Question, operation: string): AskedEnding {
  return ENDINGS.get(name) ?? (operation.startsWith('POST /disbursements/') ? 'payout' : 'other');
}
