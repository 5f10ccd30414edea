import fc from 'fast-check';
import { ANSWER_NAMES, ANSWERS, type AnswerName } from './answers.js';
import { type Family, type PlannedRequest } from './plan.js';

const REFUSING = ANSWER_NAMES.filter((name) => ANSWERS[name].afterEffect === 'never');
/** Of these each one has a rule of its own: a code or field messages, which refuse elsewhere. */
const SPEAKING: readonly AnswerName[] = [
  '422 without a code',
  '422 about what no request holds',
  '400 with a new code',
  '504 with a code',
  '500 with a code',
  '408 with fields',
  '409 with fields',
];
/** They look like refusals, and say nothing about the money. */
const UNCERTAIN: readonly AnswerName[] = [
  ...ANSWER_NAMES.filter(
    (name) => ANSWERS[name].afterEffect !== 'never' && name !== 'accepted' && name !== 'silence',
  ),
  ...SPEAKING,
  ...SPEAKING,
];
const SILENT: readonly AnswerName[] = ['reset', 'reset', 'server error 503', 'html 502'];
const BUSY: readonly AnswerName[] = ['slow down 429', 'slow down for long 429'];

const effects = fc.constantFrom<PlannedRequest['effect']>('now', 'now', 'none', 'late');

/** Refusals are honest; everything else may come before or after the money, or long before it. */
const honest =
  (family: Family) =>
  ({ answer, effect }: PlannedRequest): PlannedRequest => {
    const { afterEffect } = ANSWERS[answer];
    if (answer === 'accepted' || answer === 'another amount') return { answer, effect: 'now' };
    const mayLie = afterEffect === 'always' || (afterEffect === 'payouts' && family === 'disbursement');
    return { answer, effect: mayLie ? effect : 'none' };
  };

const requestWith = (family: Family, answer: fc.Arbitrary<AnswerName>): fc.Arbitrary<PlannedRequest> =>
  fc.record({ answer, effect: effects }).map(honest(family));

const anyRequest = (family: Family): fc.Arbitrary<PlannedRequest> =>
  requestWith(
    family,
    fc.oneof(
      { weight: 2, arbitrary: fc.constantFrom(...ANSWER_NAMES) },
      { weight: 6, arbitrary: fc.constantFrom(...UNCERTAIN) },
      { weight: 2, arbitrary: fc.constantFrom(...REFUSING) },
      { weight: 2, arbitrary: fc.constantFrom(...SILENT) },
    ),
  );

/** What becomes of the requests of one step; those that come after them are accepted. */
export type Requests = fc.Arbitrary<readonly PlannedRequest[]>;

export const requests = (family: Family): Requests =>
  fc.oneof(
    { weight: 4, arbitrary: fc.array(anyRequest(family), { minLength: 1, maxLength: 3 }) },
    { weight: 1, arbitrary: fc.constant([]) },
  );

/** Which payments a recovery sends is not known beforehand: as a collection's, no answer lies about either family. */
export const recoveryRequests: Requests = fc.oneof(
  { weight: 3, arbitrary: requests('collection') },
  { weight: 1, arbitrary: busy() },
);

const refused: fc.Arbitrary<PlannedRequest> = fc
  .constantFrom<AnswerName>('refused: balance', 'refused: phone', 'refused: fields', ...REFUSING)
  .map((answer) => ({ answer, effect: 'none' }));

export const refusedRequests: Requests = refused.map((one) => [one]);

/** Refuses a collection, which keeps its key. */
export const refusedWithoutCode: Requests = fc
  .constantFrom<AnswerName>(...ANSWER_NAMES.filter((name) => ANSWERS[name].afterEffect === 'payouts'))
  .map((answer) => [{ answer, effect: 'none' }]);

/** The money has moved when the answer comes, which says so or leaves it open. */
export const madeRequests = (family: Family): Requests =>
  requestWith(family, fc.constantFrom('accepted', 'accepted', ...SILENT, ...UNCERTAIN)).map((one) => [
    one.effect === 'late' ? { ...one, effect: 'now' } : one,
  ]);

export const openRequests = (family: Family): Requests =>
  requestWith(family, fc.constantFrom(...SILENT, ...UNCERTAIN)).map((one) => [one]);

/** The money has moved, and the answer does not say so. A request for the same payment is refused. */
export const refusedAgain: Requests = fc
  .tuple(fc.constantFrom(...SILENT), refused)
  .map(([answer, refusal]) => [{ answer, effect: 'now' }, refusal]);

/** A try that says nothing, and perhaps a further one that is refused, or for which the gateway has no time. */
export const probed = (family: Family): Requests =>
  fc
    .tuple(openRequests(family), fc.oneof(fc.constant([]), refusedRequests, busy(), busy()))
    .map((each) => each.flat());

/** The gateway has no time. */
export function busy(): Requests {
  return fc.array(
    fc
      .constantFrom<AnswerName>(...BUSY, 'slow down 429')
      .map((answer): PlannedRequest => ({ answer, effect: 'none' })),
    { minLength: 1, maxLength: 3 },
  );
}
