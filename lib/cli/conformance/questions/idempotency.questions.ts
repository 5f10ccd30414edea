import { differs, held, learnt, notPrepared, silent, unexpected, type Finding } from './finding.js';
import { areTwoPayments, fieldOf, isOtherPayment, isSamePayment } from './payment-likeness.js';
import { type OptionalInput, type Question } from './question.js';
import { collection, phonePayout } from './requests.js';
import { type Accepted, codeOf, isAccepted, isOwn, type KnownAnswer } from './step-answer.js';

const REPEATED = 'says only that a processed key gives `DUPLICATE_REQUEST`';

/** Both are asked: a gateway may look at the keys of one of them alone. */
interface Family {
  readonly noun: 'collection' | 'payout';
  readonly names: readonly [same: string, other: string];
  readonly needs: readonly OptionalInput[];
  readonly ask: typeof collection;
}

const FAMILIES: readonly Family[] = [
  {
    noun: 'collection',
    names: ['same key, same request', 'same key, other request'],
    needs: ['phone'],
    ask: collection,
  },
  {
    noun: 'payout',
    names: ['same key, same payout', 'same key, other payout'],
    needs: ['recipientPhone', 'network'],
    ask: phonePayout,
  },
];

/** What a used idempotency key does. */
export const IDEMPOTENCY_QUESTIONS: readonly Question[] = [
  ...FAMILIES.flatMap(usedKeyOf),
  {
    name: 'key of a refusal',
    point: 'idempotency key',
    asks: 'Does a refused payout use up its key?',
    needs: ['recipientPhone', 'network'],
    steps: (inputs) => {
      const refused = { network: 'NO_SUCH_NETWORK' };
      return [
        phonePayout(inputs, refused),
        phonePayout(inputs, refused, {
          keyOf: 0,
          referenceOf: 0,
          sentAfter: ([first]) => isOfNetwork(first),
        }),
        // The control: whether a good payout is accepted at all.
        phonePayout(inputs, {}, { sentAfter: ([, again]) => isOfNetwork(again) || isOfReference(again) }),
        phonePayout(inputs, {}, { keyOf: 0, sentAfter: ([, , control]) => isAccepted(control) }),
        // The second control: whether a good payout is accepted still, with a key of its own.
        phonePayout(
          inputs,
          {},
          { sentAfter: ([, , , good]) => isAccepted(good) || codeOf(good) === 'INVALID_REQUEST' },
        ),
        // Whether the gateway would have refused the key, had it been used.
        phonePayout(
          inputs,
          {},
          {
            keyOf: 0,
            referenceOf: 3,
            sentAfter: ([, , , good, still]) => isAccepted(good) && isAccepted(still),
          },
        ),
        phonePayout(inputs, {}, { keyOf: 0, sentAfter: (before) => isUnclear(before[5]) }),
      ];
    },
    concludes: refusedKey,
  },
];

function usedKeyOf({ noun, names, needs, ask }: Family): readonly Question[] {
  return [
    {
      name: names[0],
      point: REPEATED,
      asks: `What does the same ${noun} with the same key give?`,
      needs,
      // The last one is the control of two successes: another payment, which must not look like the first one.
      steps: (inputs) => [ask(inputs), ask(inputs, {}, { keyOf: 0, referenceOf: 0 }), ask(inputs)],
      concludes: (answers) => sameRequest(noun, answers),
    },
    {
      name: names[1],
      point: REPEATED,
      asks: `What does another ${noun} with a used key give?`,
      needs,
      steps: (inputs) => [ask(inputs), ask(inputs, {}, { keyOf: 0 })],
      concludes: (answers) => otherRequest(noun, answers),
    },
  ];
}

function sameRequest(noun: Family['noun'], answers: readonly KnownAnswer[]): readonly Finding[] {
  const [first, again, control] = answers;
  if (!isAccepted(first) || !again) return notPrepared(answers);
  const code = codeOf(again);
  const valued = (value: string) => ({ name: 'repeated key' as const, value });
  const known = (value: string) => ({ fact: valued(value) });
  if (code === 'DUPLICATE_REQUEST')
    return held(`DUPLICATE_REQUEST for the same key and ${noun}`, answers, known(code));
  if (code === 'DUPLICATE_REFERENCE') {
    return differs(`DUPLICATE_REFERENCE for the same key and ${noun}`, answers, known(code));
  }
  if (!isAccepted(again)) return unexpected('DUPLICATE_REQUEST', answers);
  return isSamePayment(first, again) && isAccepted(control) && isOtherPayment(first, control)
    ? differs(`the first answer comes again for the same key and ${noun}`, answers, known('first answer'))
    : differs(
        `a success for the same key and ${noun}, which may be a second payment`,
        answers,
        // The specification shows no reference of the provider in the answer to a payout: it may be the first answer, too.
        areTwoPayments(first, again) ? {} : { fits: valued('first answer') },
      );
}

function otherRequest(noun: Family['noun'], answers: readonly KnownAnswer[]): readonly Finding[] {
  const [first, again] = answers;
  if (!isAccepted(first) || !again) return notPrepared(answers);
  const code = codeOf(again);
  const known = (value: string) => ({ fact: { name: 'repeated key, other body' as const, value } });
  if (code === 'DUPLICATE_REQUEST')
    return held(`DUPLICATE_REQUEST for a used key with another ${noun}`, answers, known(code));
  if (code === 'INVALID_REQUEST') {
    return differs(`INVALID_REQUEST for a used key with another ${noun}`, answers, known(code));
  }
  if (!isAccepted(again)) return unexpected('DUPLICATE_REQUEST', answers);
  const [before, now] = [first, again].map((answer) => fieldOf(answer, 'reference'));
  if (!isOwn(before) || !isOwn(now))
    return differs(`a success of another ${noun} without its reference`, answers);
  return before === now
    ? differs(`the first answer comes again for another ${noun}`, answers, known('first answer'))
    : differs(`another ${noun} with a used key is accepted`, answers, known('accepted'));
}

/**
 * The answers are those to: a wrong payout, the same again, a control, a good one with the key, a second control, the good one again,
 * and another good one with the key.
 */
function refusedKey(answers: readonly KnownAnswer[]): readonly Finding[] {
  const [refused, again, control, good, still] = answers;
  if (!isOfNetwork(refused) || !again) return notPrepared(answers);
  const used = learnt('key of a refusal', 'used', 'a refused payout uses up its key', answers);
  if (codeOf(again) === 'DUPLICATE_REQUEST') return used;
  // A used reference says nothing about the key.
  if (!isOfNetwork(again) && !isOfReference(again)) return unexpected('INVALID_NETWORK', answers);
  if (!isAccepted(control) || !good) return notPrepared(answers);
  if (codeOf(good) === 'DUPLICATE_REQUEST' || isOfNetwork(good)) return used;
  if (!still) return unexpected('a success', answers);
  if (!isAccepted(still)) return notPrepared(answers);
  // Nothing but the key tells it from the payouts that were accepted before it and after it.
  return isAccepted(good) ? freeKey(good, answers) : used;
}

/** A success with the key shows that the key was free only if the gateway looks at used keys. */
function freeKey(good: Accepted, answers: readonly KnownAnswer[]): readonly Finding[] {
  const [repeated, other] = answers.slice(5);
  const free = learnt('key of a refusal', 'free', 'a refused payout does not use up its key', answers);
  if (codeOf(repeated) === 'DUPLICATE_REQUEST') return free;
  if (!isUnclear(repeated)) return unexpected('DUPLICATE_REQUEST', answers);
  if (isAccepted(other)) {
    const [before, now] = [good, other].map((answer) => fieldOf(answer, 'reference'));
    if (isOwn(before) && before === now) return free;
    return silent('the gateway takes used keys, so that a free one looks like a used one', answers);
  }
  const code = codeOf(other);
  const isOfKey = code === 'DUPLICATE_REQUEST' || code === 'INVALID_REQUEST';
  return isOfKey ? free : unexpected('DUPLICATE_REQUEST', answers);
}

/** The first answer again, or a refusal of the reference: neither shows what the gateway thinks of the key. */
function isUnclear(repeated: KnownAnswer | undefined): boolean {
  return isAccepted(repeated) || isOfReference(repeated);
}

function isOfNetwork(answer: KnownAnswer | undefined): boolean {
  return codeOf(answer) === 'INVALID_NETWORK';
}

function isOfReference(answer: KnownAnswer | undefined): boolean {
  return codeOf(answer) === 'DUPLICATE_REFERENCE';
}
