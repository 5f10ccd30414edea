import { differs, type Finding, held, learnt, named, notPrepared, silent, unexpected } from './finding.js';
import { type Question } from './question.js';
import { collection, phonePayout } from './requests.js';
import { codeOf, fieldsOf, isAccepted, type KnownAnswer } from './step-answer.js';

/** One more than the longest of them is asked, too: it has to be refused. */
const LENGTHS = [256, 255, 128, 100, 64, 50, 36] as const;

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
    untilAccepted: true,
    steps: (inputs) => LENGTHS.map((referenceLength) => collection(inputs, {}, { referenceLength })),
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
  const last = answers.at(-1);
  const refused = answers.filter(({ kind }) => kind === 'refused');
  const other = refused.find((answer) => !isTooLong(answer));
  if (other) return silent(`${named(other)} came, which says nothing about the reference`, answers);
  const longest = LENGTHS[answers.length - 1];
  const shorter = LENGTHS[answers.length - 2];
  if (!isAccepted(last) || longest === undefined)
    return silent(
      `every reference of ${LENGTHS[answers.length - 1] ?? 256} characters and more is refused`,
      answers,
    );
  if (shorter === undefined) return differs(`a reference of ${longest} characters is accepted`, answers);
  const says = `a reference of ${longest} characters is accepted, one of ${shorter} refused`;
  return learnt('longest reference', longest, says, answers);
}

function isTooLong(answer: KnownAnswer): boolean {
  return fieldsOf(answer).join(' ') === 'reference' || codeOf(answer) === 'INVALID_REQUEST';
}
