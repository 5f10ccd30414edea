import {
  differs,
  type Finding,
  held,
  isRefusedFor,
  learnt,
  named,
  notPrepared,
  silent,
  unexpected,
} from './finding.js';
import { boundsOf } from './limit-search.js';
import { type LimitSearch, type Question } from './question.js';
import { collection, phonePayout } from './requests.js';
import { codeOf, fieldsOf, isAccepted, type KnownAnswer } from './step-answer.js';

/** One more than the longest of them is asked, too: it has to be refused. */
const LONGEST: LimitSearch = {
  rungs: [256, 255, 128, 100, 64, 50, 36],
  coarse: 1,
  step: (inputs, referenceLength) => collection(inputs, {}, { referenceLength }),
  isRefusal: (answer) => isRefusedFor(answer, 'reference'),
};

/** What a used reference does, and how long one may be. */
export const REFERENCE_QUESTIONS: readonly Question[] = [
  {
    name: 'reference used again by a collection',
    point: "shows no duplicate code for a collection's reference",
    asks: 'What does a second collection with a used reference give?',
    needs: ['phone'],
    steps: (inputs) => [collection(inputs), collection(inputs, {}, { referenceOf: 0 })],
    concludes: collectionAgain,
  },
  {
    name: 'reference used again by a payout',
    point: 'reference of a collection',
    asks: 'Does a second payout with a used reference give DUPLICATE_REFERENCE?',
    needs: ['recipientPhone', 'network'],
    steps: (inputs) => [phonePayout(inputs), phonePayout(inputs, {}, { referenceOf: 0 })],
    concludes: (answers) => {
      const [first, again] = answers;
      if (!isAccepted(first) || !again) return notPrepared(answers);
      if (codeOf(again) === 'DUPLICATE_REFERENCE')
        return held('DUPLICATE_REFERENCE for the second payout with a reference', answers);
      return unexpected('DUPLICATE_REFERENCE', answers);
    },
  },
  {
    name: 'reference of a collection used by a payout',
    point: 'reference of a collection',
    asks: 'May a payout have the reference of a collection?',
    needs: ['phone', 'recipientPhone', 'network'],
    steps: (inputs) => [collection(inputs), phonePayout(inputs, {}, { referenceOf: 0 })],
    concludes: otherFamily,
  },
  {
    name: 'longest reference',
    point: 'shows no lengths',
    asks: 'How many characters may a reference have?',
    needs: ['phone'],
    search: LONGEST,
    steps: (inputs) => LONGEST.rungs.map((length) => LONGEST.step(inputs, length)),
    concludes: longestReference,
  },
];

function collectionAgain(answers: readonly KnownAnswer[]): readonly Finding[] {
  const [first, again] = answers;
  if (!isAccepted(first) || !again) return notPrepared(answers);
  const name = 'repeated reference';
  if (codeOf(again) === 'DUPLICATE_REFERENCE')
    return learnt(name, 'DUPLICATE_REFERENCE', 'DUPLICATE_REFERENCE for the second collection', answers);
  if (fieldsOf(again).join(' ') === 'reference')
    return learnt(name, 'errors.reference', 'a message under errors.reference for the second', answers);
  if (isAccepted(again))
    return learnt(name, 'accepted', 'a second collection with a used reference is accepted', answers);
  return unexpected('DUPLICATE_REFERENCE, errors.reference or a success', answers);
}

function otherFamily(answers: readonly KnownAnswer[]): readonly Finding[] {
  const [collected, paid] = answers;
  if (!isAccepted(collected) || !paid) return notPrepared(answers);
  const name = 'reference of the other family';
  if (isAccepted(paid))
    return learnt(name, 'free', 'a payout may have the reference of a collection', answers);
  if (codeOf(paid) === 'DUPLICATE_REFERENCE')
    return learnt(
      name,
      'used',
      'DUPLICATE_REFERENCE for a payout with the reference of a collection',
      answers,
    );
  return unexpected('a success or DUPLICATE_REFERENCE', answers);
}

function longestReference(answers: readonly KnownAnswer[]): readonly Finding[] {
  const other = answers.find((answer) => !isAccepted(answer) && !LONGEST.isRefusal(answer));
  if (other) return silent(`${named(other)} came, which says nothing about the reference`, answers);
  const { refused, taken } = boundsOf(LONGEST, answers);
  if (taken === undefined)
    return silent(
      `every reference of a collection of ${refused ?? 256} characters and more is refused`,
      answers,
    );
  if (refused === undefined)
    return differs(`a reference of a collection of ${taken} characters is accepted`, answers);
  if (refused - taken > 1)
    return silent(
      `the longest reference of a collection is between ${taken} (taken) and ${refused} characters (refused)`,
      answers,
    );
  const says = `a reference of a collection of ${taken} characters is accepted, one of ${refused} refused`;
  return learnt('longest reference', taken, says, answers);
}
