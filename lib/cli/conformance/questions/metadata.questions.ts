import { LONGEST_METADATA } from '../../../gateway-profile/facts.js';
import { type Finding, isRefusedFor, learnt, named, silent } from './finding.js';
import { boundsOf, rangeOf } from './limit-search.js';
import { type LimitSearch, type Question } from './question.js';
import { collection } from './requests.js';
import { isAccepted, type KnownAnswer } from './step-answer.js';

const FIELD = 'note';
const OTHER_FIELD = 'more';

const LONGEST: LimitSearch = {
  fact: 'longest metadata',
  rungs: [LONGEST_METADATA, 4_096, 1_024, 256, 64],
  coarse: 1,
  step: (inputs, bytes) => collection(inputs, { metadata: metadataOf(bytes) }),
  isRefusal: (answer) =>
    ['metadata', `metadata.${FIELD}`, `metadata.${OTHER_FIELD}`].some((field) => isRefusedFor(answer, field)),
  // As large as what was refused, and each value is shorter than what was taken.
  control: (inputs, bytes) => collection(inputs, { metadata: metadataOfTwo(bytes) }),
};

/** How large metadata may be. */
export const METADATA_QUESTIONS: readonly Question[] = [
  {
    name: 'longest metadata',
    point: 'shows no lengths',
    asks: 'How many bytes may the metadata of a collection have?',
    needs: ['phone'],
    search: LONGEST,
    steps: (inputs) => LONGEST.rungs.map((bytes) => LONGEST.step(inputs, bytes)),
    concludes: longestMetadata,
  },
];

/** An object whose JSON has so many bytes. */
function metadataOf(bytes: number): Readonly<Record<string, string>> {
  const empty = JSON.stringify({ [FIELD]: '' }).length;
  return { [FIELD]: 'x'.repeat(bytes - empty) };
}

/** The same with two fields, each about half of it. */
function metadataOfTwo(bytes: number): Readonly<Record<string, string>> {
  const text = bytes - JSON.stringify({ [FIELD]: '', [OTHER_FIELD]: '' }).length;
  const half = Math.floor(text / 2);
  return { [FIELD]: 'x'.repeat(half), [OTHER_FIELD]: 'x'.repeat(text - half) };
}

function longestMetadata(answers: readonly KnownAnswer[]): readonly Finding[] {
  const bounds = boundsOf(LONGEST, answers);
  const unknown = (says: string) => silent(says, answers, rangeOf(LONGEST, bounds));
  const other = answers.find((answer) => !isAccepted(answer) && !LONGEST.isRefusal(answer));
  if (other) return unknown(`${named(other)} came, which says nothing about the metadata`);
  const { refused, taken, control } = bounds;
  if (taken === undefined)
    return unknown(`metadata of ${refused ?? LONGEST_METADATA} bytes and more is refused`);
  const accepted = `metadata of ${taken} bytes with one field is accepted`;
  if (refused === undefined)
    return learnt('longest metadata', taken, `${accepted}, and more was not asked`, answers);
  if (refused - taken > 1 || !control)
    return unknown(
      `the longest metadata with one field is between ${taken} (taken) and ${refused} bytes (refused)`,
    );
  if (isAccepted(control))
    return silent(
      `${accepted}, one of ${refused} refused, and two fields of ${refused} together are taken: a limit for each value`,
      answers,
      { name: 'longest metadata', least: refused },
    );
  const says = `${accepted}, ${refused} bytes with one and with two fields are refused`;
  return learnt('longest metadata', taken, says, answers);
}
