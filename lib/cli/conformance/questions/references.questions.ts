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
import { boundsOf, rangeOf } from './limit-search.js';
import { areTwoPayments, fieldOf } from './payment-likeness.js';
import { type LimitSearch, type Question } from './question.js';
import { collection, phonePayout } from './requests.js';
import { codeOf, fieldsOf, isAccepted, isOwn, type KnownAnswer } from './step-answer.js';

/** One more than the longest of them is asked, too: it has to be refused. */
const LONGEST: LimitSearch = {
  fact: 'longest reference',
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
        return held('DUPLICATE_REFERENCE for the second payout with a reference', answers, {
          fact: { name: 'repeated reference of a payout', value: 'DUPLICATE_REFERENCE' },
        });
      if (isAccepted(again)) return differs('a second payout with a used reference is accepted', answers);
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
  // A success may be the first answer again.
  if (isAccepted(again) && !areTwoPayments(first, again))
    return differs(
      'a success for a used reference, and nothing shows that it is a second collection',
      answers,
    );
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
  if (answers.some((answer) => isAccepted(answer) && !isOwn(fieldOf(answer, 'reference'))))
    return differs('a reference of a collection is accepted, and not given back as it was', answers);
  const bounds = boundsOf(LONGEST, answers);
  const unknown = (says: string) => silent(says, answers, rangeOf(LONGEST, bounds));
  const other = answers.find((answer) => !isAccepted(answer) && !LONGEST.isRefusal(answer));
  if (other) return unknown(`${named(other)} came, which says nothing about the reference`);
  const { refused, taken } = bounds;
  if (taken === undefined)
    return unknown(`every reference of a collection of ${refused ?? 256} characters and more is refused`);
  if (refused === undefined)
    return differs(`a reference of a collection of ${taken} characters is accepted`, answers);
  if (refused - taken > 1)
    return unknown(
      `the longest reference of a collection is between ${taken} (taken) and ${refused} characters (refused)`,
    );
  const says = `a reference of a collection of ${taken} characters is accepted, one of ${refused} refused`;
  return learnt('longest reference', taken, says, answers);
}
