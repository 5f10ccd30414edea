import { adversarialFacts } from './adversarial-facts.js';
import { varyAnswer } from './answer-variations.js';
import { Choices } from './choices.js';
import { varyEvent } from './event-variations.js';
import { noAnswersYet, PLAIN_FORM, type Profile, type WireForm } from './profile.js';

/**
 * Varies everything that the specification leaves open, in every way that a correct client must accept. The
 * variation of a call or event depends only on the seed, its merchant, operation, reference and their count; the facts
 * depend on the seed alone.
 */
export function adversarialProfile(seed: number): Profile {
  const counts = noAnswersYet();
  const { answered } = counts;
  const nth = (subject: string): number => {
    const count = (answered.get(subject) ?? 0) + 1;
    answered.set(subject, count);
    return count;
  };
  return {
    ...counts,
    name: 'adversarial',
    facts: adversarialFacts(seed),
    answer: ({ operation, merchant = '', reference = '' }, answer) => {
      const subject = `${merchant} ${operation} ${reference}`;
      const choices = new Choices(seed, `${subject} ${nth(subject)}`);
      const form = variedForm(choices);
      return { ...varyAnswer(answer, choices), form, counted: subject };
    },
    event: (event) => varyEvent(event, new Choices(seed, `event ${event.merchant} ${event.reference}`)),
  };
}

function variedForm(choices: Choices): WireForm {
  return {
    contentType: choices.pick([PLAIN_FORM.contentType, 'application/json', 'application/json;charset=UTF-8']),
    indent: choices.pick([0, 0, 2, 4]),
    pieces: choices.pick([1, 1, 2, 5]),
    closesConnection: choices.chance(0.2),
  };
}
