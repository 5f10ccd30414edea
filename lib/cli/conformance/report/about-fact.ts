import { type FactName } from '../../../gateway-profile/facts.js';
import { type Conclusion } from '../conclusion.js';

/** The questions that find out facts of another name. */
const QUESTIONS: { readonly [Name in FactName]?: readonly string[] } = {
  'repeated key': ['same key, same request', 'same key, same payout'],
  'repeated key, other body': ['same key, other request', 'same key, other payout'],
  'repeated reference': ['reference used again by a collection'],
  'repeated reference of a payout': ['reference used again by a payout'],
  'reference of the other family': ['reference of a collection used by a payout'],
  'wrong fields of a collection': ['other currency'],
  'three decimals': ['amount with three decimals'],
};

/** How an observation calls a fact, if not by its name. */
const CLAUSES: { readonly [Name in FactName]?: string } = {
  'status of wrong fields': 'status of messages by field',
};

/** Whether a conclusion is about a fact that it has no value of. */
export function isAbout({ question, says }: Conclusion, fact: FactName): boolean {
  const questions: readonly string[] = QUESTIONS[fact] ?? [fact];
  return questions.includes(question) || says.startsWith(`the ${CLAUSES[fact] ?? fact} varies`);
}
