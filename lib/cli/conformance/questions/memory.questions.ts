import { differs, type Finding, held, notPrepared, silent, unexpected } from './finding.js';
import { isOtherPayment, isSamePayment } from './payment-likeness.js';
import { type Question } from './question.js';
import { collection } from './requests.js';
import { codeOf, fieldsOf, isAccepted, type KnownAnswer } from './step-answer.js';

const HOUR_MS = 3_600_000;
const FACT = 'key after an hour';

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
    ],
    concludes: keyAfterAnHour,
  },
];

function keyAfterAnHour(answers: readonly KnownAnswer[]): readonly Finding[] {
  const [first, later, control, atOnce] = answers;
  if (!isAccepted(first) || !later) return notPrepared(answers);
  const known = (value: string) => ({ fact: { name: FACT, value } }) as const;
  if (codeOf(later) === 'DUPLICATE_REQUEST')
    return held(
      'DUPLICATE_REQUEST for the same key and collection an hour later',
      answers,
      known('remembered'),
    );
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
    return differs(
      'the first answer comes again for the same key an hour later',
      answers,
      known('remembered'),
    );
  if (seen === 'first answer')
    return differs('the first answer comes again an hour later, though not at once', answers);
  if (seen === usual)
    return silent('the gateway looks at the reference first, which says nothing about the key', answers);
  const says =
    seen === 'another payment'
      ? 'a key is forgotten after an hour, and the same collection is made again'
      : 'a key is forgotten after an hour, and the reference alone is known';
  return differs(says, answers, known('forgotten'));
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
