import { differs, type Finding, held, notPrepared, silent, unexpected } from './finding.js';
import { type CollectionStatus } from '../../../common/vocabulary.js';
import { fieldOf, isOtherPayment, isSamePayment } from './payment-likeness.js';
import { type AnswerTimes, type Question, type QuestionInputs, type Step } from './question.js';
import { collection } from './requests.js';
import { type Accepted, codeOf, fieldsOf, isAccepted, isOwn, type KnownAnswer } from './step-answer.js';

const HOUR_MS = 3_600_000;
/** A key that is not known later than this may have been forgotten after the hour. */
const LATEST_MS = 75 * 60_000;
const FACT = 'key after an hour';
const REMEMBERED = { fact: { name: FACT, value: 'remembered' } } as const;
/** The first payment has not failed. A gateway may free the key and the reference of one that has. */
const ALIVE: ReadonlySet<unknown> = new Set<CollectionStatus>(['pending', 'processing', 'success']);

/** What an answer to a repeated request shows: the gateway knows its key, its reference, or neither. */
type Repeat = 'key' | 'first answer' | 'reference' | 'errors.reference' | 'another payment' | 'unclear';

/** For how long a used idempotency key is remembered. */
export const MEMORY_QUESTIONS: readonly Question[] = [
  {
    name: FACT,
    point: 'idempotency key',
    asks: 'What does the same collection with the same key give an hour later?',
    needs: ['phone', 'afterAnHour'],
    steps: (inputs) => [
      collection(inputs),
      collection(
        inputs,
        {},
        { keyOf: 0, referenceOf: 0, notBeforeMs: HOUR_MS, sentAfter: ([first]) => isAccepted(first) },
      ),
      // The controls: another payment, and what its repetition gives at once.
      collection(
        inputs,
        {},
        { sentAfter: ([, later]) => later !== undefined && codeOf(later) !== 'DUPLICATE_REQUEST' },
      ),
      collection(inputs, {}, { keyOf: 2, referenceOf: 2, sentAfter: ([, , control]) => isAccepted(control) }),
      // Whether the first payment has failed meanwhile. It is asked last: a path with a mistake ends the question.
      ...statusAfter(inputs),
    ],
    concludes: keyAfterAnHour,
  },
];

function statusAfter({ collectionStatusPath: path }: QuestionInputs): readonly Step[] {
  if (path === undefined) return [];
  const sentAfter: Step['sentAfter'] = ([first, later, control, atOnce]) =>
    isAccepted(first) &&
    later !== undefined &&
    isAccepted(control) &&
    atOnce !== undefined &&
    looksForgotten(repeatOf(first, later, control), repeatOf(control, atOnce, first));
  return [{ operation: 'GET status', path, referenceOf: 0, sentAfter }];
}

function keyAfterAnHour(answers: readonly KnownAnswer[], heardAt: AnswerTimes): readonly Finding[] {
  const [first, later, control, atOnce, status] = answers;
  if (!isAccepted(first) || !later) return notPrepared(answers);
  if (codeOf(later) === 'DUPLICATE_REQUEST')
    return held('DUPLICATE_REQUEST for the same key and collection an hour later', answers, REMEMBERED);
  if (!isAccepted(control) || !atOnce) return notPrepared(answers);
  const [seen, usual] = [repeatOf(first, later, control), repeatOf(control, atOnce, first)];
  if (seen === 'unclear' || usual === 'unclear')
    return unexpected('DUPLICATE_REQUEST, a refusal of the reference or a success', answers);
  if (usual === 'another payment')
    return silent(
      'the gateway takes a used key at once, so that nothing shows whether it is remembered',
      answers,
    );
  if (seen === 'first answer' && usual === seen)
    return differs('the first answer comes again for the same key an hour later', answers, REMEMBERED);
  if (seen === 'first answer')
    return differs('the first answer comes again an hour later, though not at once', answers);
  if (!looksForgotten(seen, usual))
    return silent('the gateway looks at the reference first, which says nothing about the key', answers);
  const says =
    seen === 'another payment'
      ? 'a key is forgotten after an hour, and the same collection is made again'
      : 'a key is forgotten after an hour, and the reference alone is known';
  return forgotten(says, answers, { passedMs: passedOf(heardAt), isAlive: isAlive(first, seen, status) });
}

/** Time is not the only cause: the first payment may have failed. */
function forgotten(
  says: string,
  answers: readonly KnownAnswer[],
  { passedMs, isAlive }: { readonly passedMs: number; readonly isAlive: boolean },
): readonly Finding[] {
  if (passedMs > LATEST_MS) {
    const hours = Number((passedMs / HOUR_MS).toFixed(1));
    return silent(
      `a key is not known any more after ${hours} hours, which says nothing about one hour: begin a new run`,
      answers,
    );
  }
  return isAlive
    ? differs(says, answers, { fact: { name: FACT, value: 'forgotten' } })
    : differs(`${says}; or the first payment may have ended unpaid, and its key is free again`, answers);
}

/** Between the first answer and the one to the repeated request. */
function passedOf([first, later]: AnswerTimes): number {
  return first === undefined || later === undefined ? Number.POSITIVE_INFINITY : later - first;
}

/** Whether the status is that of the first payment, and not of one that was made again with its reference. */
function isAlive(first: Accepted, seen: Repeat, status: KnownAnswer | undefined): boolean {
  if (!isAccepted(status) || !ALIVE.has(fieldOf(status, 'status'))) return false;
  const reference = fieldOf(status, 'reference');
  if (!isOwn(reference) || reference !== fieldOf(first, 'reference')) return false;
  return seen !== 'another payment' || isSamePayment(first, status);
}

/** What the repeated request shows later, and what one shows at once. A refusal of the reference says nothing about the key. */
function looksForgotten(seen: Repeat, usual: Repeat): boolean {
  if (['key', 'first answer', 'unclear'].includes(seen)) return false;
  if (usual === 'unclear' || usual === 'another payment') return false;
  return seen === 'another payment' || !isOfReference(usual);
}

function isOfReference(repeat: Repeat): boolean {
  return repeat === 'reference' || repeat === 'errors.reference';
}

/** @param other A payment that surely is another one. */
function repeatOf(first: KnownAnswer, again: KnownAnswer, other: KnownAnswer): Repeat {
  if (isAccepted(again)) {
    if (!isAccepted(first) || !isAccepted(other) || !isOtherPayment(first, other)) return 'unclear';
    return isSamePayment(first, again) ? 'first answer' : 'another payment';
  }
  if (codeOf(again) === 'DUPLICATE_REQUEST') return 'key';
  if (codeOf(again) === 'DUPLICATE_REFERENCE') return 'reference';
  return fieldsOf(again).join(' ') === 'reference' ? 'errors.reference' : 'unclear';
}
