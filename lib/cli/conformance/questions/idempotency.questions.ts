import { differs, held, learnt, notPrepared, silent, unexpected, type Finding } from './finding.js';
import { type Question } from './question.js';
import { collection, phonePayout } from './requests.js';
import { type Accepted, codeOf, isAccepted, type KnownAnswer } from './step-answer.js';

const REPEATED = 'does not say what a repeated key gives';

/** What a used idempotency key does. */
export const IDEMPOTENCY_QUESTIONS: readonly Question[] = [
  {
    name: 'same key, same request',
    point: REPEATED,
    asks: 'What does the same collection with the same key give?',
    needs: ['phone'],
    steps: (inputs) => [collection(inputs), collection(inputs, {}, { keyOf: 0, referenceOf: 0 })],
    concludes: sameRequest,
  },
  {
    name: 'same key, other request',
    point: REPEATED,
    asks: 'What does another collection with a used key give?',
    needs: ['phone'],
    steps: (inputs) => [collection(inputs), collection(inputs, {}, { keyOf: 0 })],
    concludes: otherRequest,
  },
  {
    name: 'key of a refusal',
    point: 'idempotency key',
    asks: 'Does a refused payout use up its key?',
    needs: ['recipientPhone', 'network'],
    steps: (inputs) => {
      const refused = { network: 'NO_SUCH_NETWORK' };
      return [
        phonePayout(inputs, refused),
        phonePayout(inputs, refused, { keyOf: 0, referenceOf: 0, sentAfter: lastWasRefused }),
        phonePayout(inputs, {}, { keyOf: 0, sentAfter: ([, again]) => isNetworkRefused(again) }),
        // Whether the gateway would have refused the key, had it been used.
        phonePayout(inputs, {}, { keyOf: 0, referenceOf: 2, sentAfter: ([, , good]) => isAccepted(good) }),
        phonePayout(inputs, {}, { keyOf: 0, sentAfter: ([, , , repeated]) => isUnclear(repeated) }),
      ];
    },
    concludes: refusedKey,
  },
];

function sameRequest(answers: readonly KnownAnswer[]): readonly Finding[] {
  const [first, again] = answers;
  if (!isAccepted(first) || !again) return notPrepared(answers);
  const code = codeOf(again);
  const known = (value: string) => ({ fact: { name: 'repeated key' as const, value } });
  if (code === 'DUPLICATE_REQUEST')
    return held('DUPLICATE_REQUEST for the same key and request', answers, known(code));
  if (code === 'DUPLICATE_REFERENCE') {
    return differs('DUPLICATE_REFERENCE for the same key and request', answers, known(code));
  }
  if (!isAccepted(again)) return unexpected('DUPLICATE_REQUEST', answers);
  return isSamePayment(first, again)
    ? differs('the first answer comes again for the same key and request', answers, known('first answer'))
    : differs('a success that cannot be told from a second payment', answers);
}

function otherRequest(answers: readonly KnownAnswer[]): readonly Finding[] {
  const [first, again] = answers;
  if (!isAccepted(first) || !again) return notPrepared(answers);
  const code = codeOf(again);
  const known = (value: string) => ({ fact: { name: 'repeated key, other body' as const, value } });
  if (code === 'DUPLICATE_REQUEST')
    return held('DUPLICATE_REQUEST for a used key with another request', answers, known(code));
  if (code === 'INVALID_REQUEST') {
    return differs('INVALID_REQUEST for a used key with another request', answers, known(code));
  }
  if (!isAccepted(again)) return unexpected('DUPLICATE_REQUEST', answers);
  const references = [first, again].map((answer) => fieldOf(answer, 'reference'));
  if (!references.every(isOwn)) return differs('a success without its reference', answers);
  return references[0] === references[1]
    ? differs('the first answer comes again for another request', answers, known('first answer'))
    : differs('another request with a used key is accepted', answers, known('accepted'));
}

/** The answers are those to: a wrong payout, the same again, a good one, the good one again, and another good one. */
function refusedKey(answers: readonly KnownAnswer[]): readonly Finding[] {
  const [refused, again, good] = answers;
  if (codeOf(refused) !== 'INVALID_NETWORK' || !again) return notPrepared(answers);
  const used = learnt('key of a refusal', 'used', 'a refused request uses up its key', answers);
  if (isDuplicate(again)) return used;
  if (!isNetworkRefused(again) || !good) return unexpected('INVALID_NETWORK', answers);
  if (isKeyRefused(good) || isNetworkRefused(good)) return used;
  return isAccepted(good) ? freeKey(good, answers) : unexpected('a success', answers);
}

/** A success with the key shows that the key was free only if the gateway looks at used keys. */
function freeKey(good: Accepted, answers: readonly KnownAnswer[]): readonly Finding[] {
  const [, , , repeated, other] = answers;
  const free = learnt('key of a refusal', 'free', 'a refused request does not use up its key', answers);
  if (codeOf(repeated) === 'DUPLICATE_REQUEST') return free;
  if (!isUnclear(repeated)) return unexpected('DUPLICATE_REQUEST', answers);
  if (other?.kind === 'refused') return isKeyRefused(other) ? free : unexpected('DUPLICATE_REQUEST', answers);
  if (isAccepted(other) && fieldOf(good, 'reference') === fieldOf(other, 'reference')) return free;
  return silent('the gateway takes used keys, so that a free one looks like a used one', answers);
}

/** The first answer again, or a refusal of the reference: neither shows what the gateway thinks of the key. */
function isUnclear(repeated: KnownAnswer | undefined): boolean {
  return isAccepted(repeated) || codeOf(repeated) === 'DUPLICATE_REFERENCE';
}

function isKeyRefused(answer: KnownAnswer): boolean {
  return isDuplicate(answer) || codeOf(answer) === 'INVALID_REQUEST';
}

function lastWasRefused(before: readonly KnownAnswer[]): boolean {
  return codeOf(before.at(-1)) === 'INVALID_NETWORK';
}

function isNetworkRefused(answer: KnownAnswer | undefined): boolean {
  return codeOf(answer) === 'INVALID_NETWORK';
}

function isDuplicate(answer: KnownAnswer | undefined): boolean {
  const code = codeOf(answer);
  return code === 'DUPLICATE_REQUEST' || code === 'DUPLICATE_REFERENCE';
}

/** Whether two successes are about one payment: a provider has a reference for each. */
function isSamePayment(one: Accepted, other: Accepted): boolean {
  const references = [one, other].map((answer) => fieldOf(answer, 'provider_reference'));
  return references[0] !== undefined && references[0] === references[1];
}

function fieldOf({ data }: Accepted, field: string): unknown {
  return (data as Readonly<Record<string, unknown>> | undefined)?.[field];
}

function isOwn(reference: unknown): boolean {
  return typeof reference === 'string' && reference.startsWith('nc');
}
