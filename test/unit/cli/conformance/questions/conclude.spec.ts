import { describe, expect, it } from 'vitest';
import { conclude } from '../../../../../lib/cli/conformance/questions/conclude.js';
import { nextOf } from '../../../../../lib/cli/conformance/questions/limit-search.js';
import { QUESTIONS } from '../../../../../lib/cli/conformance/questions/questions.js';
import { observedProfile } from '../../../../../lib/cli/conformance/report/observed-profile.js';
import {
  type KnownAnswer,
  type StepAnswer,
} from '../../../../../lib/cli/conformance/questions/step-answer.js';
import {
  accepted,
  LOST,
  questionNamed,
  refused,
  UNEXPECTED,
  timesOf,
  verdictOf,
  wrong,
} from '../../../../support/conformance-answers.js';

const paid = accepted({ reference: 'nc1', provider_reference: 'like 1', amount: '1.00' });
const other = accepted({ reference: 'nc2', provider_reference: 'like 2', amount: '1.00' });
const third = accepted({ reference: 'nc3', provider_reference: 'like 3', amount: '1.00' });
const fourth = accepted({ reference: 'nc4', provider_reference: 'like 4', amount: '1.00' });
const given = (provider_reference: unknown) => accepted({ reference: 'nc1', provider_reference });
/** A gateway that gives back no reference. */
const hidden = accepted({ reference: '…' });
const reference = refused('DUPLICATE_REFERENCE');
const network = refused('INVALID_NETWORK');
const busy = refused('INSUFFICIENT_BALANCE');

/** What a status query says about the first payment. */
const statusOf = (status: string, rest: object = {}) =>
  accepted({ ...(paid.data as object), status, ...rest });
const alive = statusOf('pending');
/** It says that about another payment with the same reference. */
const newer = statusOf('pending', { provider_reference: 'like 2' });

const to128 = [wrong('reference'), wrong('reference'), paid];

/** Answers of a search between two rungs: R refuses the value, A takes it. */
function halvings(word: string): readonly StepAnswer[] {
  return word.split('').map((letter) => (letter === 'A' ? paid : refused('INVALID_REQUEST')));
}

/** Answers of a search from its first value on, each with what was asked: R refuses the value, A takes it. */
function searched(name: string, word: string): readonly StepAnswer[] {
  const { search } = questionNamed(name);
  const answers: KnownAnswer[] = [];
  for (const letter of word) {
    const { body } = nextOf(search!, { amountCents: 100 }, answers) ?? {};
    const { amount } = body as { readonly amount: number };
    answers.push(letter === 'A' ? accepted({ reference: 'nc1', amount }) : wrong('amount'));
  }
  return answers;
}

/** Question, answers, verdict with the value of the fact. */
const TABLE: readonly (readonly [string, readonly StepAnswer[], string])[] = [
  ['longest metadata', [paid], 'learnt 16384'],
  // The last letter is the control.
  ['longest metadata', [wrong('metadata'), paid, ...halvings('RRRRRRRRRRRRRR' + 'R')], 'learnt 4096'],
  ['longest metadata', [wrong('metadata.note'), paid, ...halvings('AAAAAAAAAAAAA' + 'R')], 'learnt 16383'],
  [
    'longest metadata',
    [wrong('metadata'), paid, ...halvings('RRRRRRRRRRRRRR'), wrong('metadata.more')],
    'learnt 4096',
  ],
  ['longest metadata', [wrong('metadata'), paid, ...halvings('RRRRRRRRRRRRRR' + 'A')], 'silent'],
  ['longest metadata', [wrong('metadata'), paid, ...halvings('RRRRRRRRRRRRRR')], 'silent'],
  ['longest metadata', [wrong('metadata'), paid, ...halvings('RRRRRRRRRRRRRR'), busy], 'silent'],
  ['longest metadata', [wrong('metadata'), paid, ...halvings('RRR')], 'silent'],
  ['longest metadata', Array<StepAnswer>(5).fill(wrong('metadata')), 'silent'],
  ['longest metadata', [wrong('metadata', 'reference')], 'silent'],
  ['longest metadata', [wrong('metadata'), reference], 'silent'],
  ['key after an hour', [paid, refused('DUPLICATE_REQUEST')], 'held remembered'],
  ['key after an hour', [paid, paid, other, other], 'differs remembered'],
  ['key after an hour', [paid, other, third, third, alive], 'differs forgotten'],
  ['key after an hour', [paid, other, third, refused('DUPLICATE_REQUEST'), alive], 'differs forgotten'],
  ['key after an hour', [paid, other, third, reference, alive], 'differs forgotten'],
  ['key after an hour', [paid, reference, other, refused('DUPLICATE_REQUEST'), alive], 'differs forgotten'],
  ['key after an hour', [paid, reference, other, other, alive], 'differs forgotten'],
  ['key after an hour', [paid, wrong('reference'), other, other, alive], 'differs forgotten'],
  ['key after an hour', [paid, reference, other, other, statusOf('success')], 'differs forgotten'],
  ['key after an hour', [paid, reference, other, other, statusOf('processing')], 'differs forgotten'],
  // The first payment has failed, is another one now, or nobody knows.
  ['key after an hour', [paid, reference, other, other, statusOf('failed')], 'differs'],
  ['key after an hour', [paid, reference, other, other, statusOf('expired')], 'differs'],
  ['key after an hour', [paid, reference, other, other, statusOf('unheard of')], 'differs'],
  [
    'key after an hour',
    [paid, reference, other, other, statusOf('pending', { reference: 'nc2' })],
    'differs',
  ],
  [
    'key after an hour',
    [hidden, reference, other, other, statusOf('pending', { reference: '…' })],
    'differs',
  ],
  ['key after an hour', [paid, other, third, third, newer], 'differs'],
  ['key after an hour', [paid, reference, other, other, refused('INVALID_REQUEST')], 'differs'],
  ['key after an hour', [paid, reference, other, other], 'differs'],
  ['key after an hour', [paid, other, third, third], 'differs'],
  // Both are about the reference.
  ['key after an hour', [paid, wrong('reference'), other, reference], 'silent'],
  ['key after an hour', [paid, reference, other, wrong('reference')], 'silent'],
  ['key after an hour', [paid, reference, other, reference], 'silent'],
  ['key after an hour', [paid, wrong('reference'), other, wrong('reference')], 'silent'],
  ['key after an hour', [paid, other, third, fourth], 'silent'],
  ['key after an hour', [paid, paid, other, refused('DUPLICATE_REQUEST')], 'differs'],
  ['key after an hour', [given('…'), given('…'), given('…'), given('…')], 'differs'],
  ['key after an hour', [paid, busy, other, refused('DUPLICATE_REQUEST')], 'differs'],
  ['key after an hour', [paid, reference, busy], 'silent'],
  ['key after an hour', [busy], 'silent'],
  ['no credentials', [refused('UNAUTHORIZED', { status: 401 })], 'held'],
  ['no credentials', [refused('UNAUTHORIZED', { status: 400 })], 'differs'],
  ['no credentials', [accepted()], 'differs'],
  ['wrong secret', [refused('UNAUTHORIZED', { status: 401 })], 'held'],
  ['wrong secret', [refused('INVALID_REQUEST')], 'differs'],
  ['bearer', [accepted(), accepted()], 'learnt accepted'],
  ['bearer', [accepted(), refused('UNAUTHORIZED')], 'learnt refused'],
  ['bearer', [accepted(), refused('INVALID_REQUEST')], 'differs'],
  ['bearer', [refused('UNAUTHORIZED')], 'silent'],
  ['balance', [accepted({ balance: 1, available_balance: '1.00', locked_balance: 0 })], 'held'],
  ['balance', [accepted({ balance: 1 })], 'differs'],
  ['balance', [refused('INSUFFICIENT_PERMISSIONS')], 'silent'],
  ['rate limit headers', [accepted({}, { headers: ['date'] })], 'learnt none'],
  ['rate limit headers', [accepted({}, { headers: ['ratelimit', 'ratelimit-policy'] })], 'learnt ratelimit'],
  ['rate limit headers', [accepted({}, { headers: ['x-ratelimit-limit'] })], 'learnt x-ratelimit'],
  ['rate limit headers', [accepted({}, { headers: ['ratelimit', 'x-ratelimit-limit'] })], 'differs'],
  ['rate limit headers', [accepted({}, { headers: ['x-rate-limit'] })], 'differs'],
  ['rate limit headers', [accepted({}, { headers: ['x-ratelimited'] })], 'differs'],
  ['list of banks', [accepted([{ id: 0, name: '…', code: '…' }])], 'held'],
  ['list of banks', [accepted([])], 'differs'],
  ['list of banks', [accepted([{ id: 0 }])], 'differs'],
  ['case of bank codes', [accepted(), accepted()], 'learnt any'],
  ['case of bank codes', [accepted(), refused('INVALID_BANK_CODE')], 'learnt exact'],
  ['case of bank codes', [accepted(), refused('ACCOUNT_NOT_FOUND')], 'differs'],
  ['case of bank codes', [refused('INVALID_CHANNEL')], 'silent'],
  ['long bank codes', [accepted(), accepted()], 'learnt accepted'],
  ['long bank codes', [accepted(), refused('INVALID_BANK_CODE')], 'learnt refused'],
  ['lookup of BANK', [accepted()], 'learnt answered'],
  ['lookup of BANK', [refused('INVALID_CHANNEL')], 'learnt refused'],
  ['lookup of BANK', [refused('ACCOUNT_NOT_FOUND')], 'silent'],
  ['lookup of BANK', [refused('INVALID_BANK_CODE')], 'differs'],
  ['lookup of MOBILE_MONEY', [refused('INVALID_CHANNEL')], 'learnt refused'],
  ['lookup of PARTNERPESA', [accepted()], 'learnt answered'],
  ['status of a collection', [paid, accepted({ reference: 'nc1', status: 'pending' })], 'learnt'],
  ['status of a collection', [paid, accepted({ reference: 'nc2', status: 'pending' })], 'differs'],
  ['status of a payout', [paid, accepted({ reference: 'nc1' })], 'differs'],
  ['status of a payout', [hidden, accepted({ reference: '…', status: 'pending' })], 'differs'],
  ['status of a payout', [paid, refused('INSUFFICIENT_PERMISSIONS')], 'silent'],
  ['empty metadata', [accepted({ metadata: null })], 'held'],
  ['empty metadata', [accepted({ metadata: [] })], 'differs'],
  ['empty metadata', [accepted({})], 'differs'],
  ['broken JSON', [refused('INVALID_REQUEST')], 'held'],
  ['broken JSON', [wrong('amount')], 'differs'],
  ['malformed phone', [wrong('phone')], 'held'],
  ['malformed phone', [refused('INVALID_REQUEST')], 'differs'],
  ['malformed phone', [accepted()], 'differs'],
  ['unknown channel', [refused('INVALID_CHANNEL')], 'held'],
  ['unknown channel', [wrong('channel')], 'differs'],
  ['payout with another name', [refused('ACCOUNT_NAME_MISMATCH')], 'held'],
  ['payout with another name', [accepted()], 'silent'],
  ['payout above the balance', [busy], 'held'],
  ['payout above the balance', [accepted()], 'silent'],
  ['payout to an unknown network', [network], 'held'],
  ['payout to an unknown network', [accepted()], 'differs'],
  ['payout to an unknown network', [busy], 'silent'],
  ['collection without an e-mail address', [paid, wrong('customer_email')], 'held'],
  ['collection without an e-mail address', [paid, paid], 'held'],
  ['collection without an e-mail address', [paid, wrong('phone')], 'differs'],
  ['collection from the partner wallet', [paid], 'held'],
  ['payout to the bank account', [busy], 'silent'],
  ['same key, same request', [paid, refused('DUPLICATE_REQUEST')], 'held DUPLICATE_REQUEST'],
  ['same key, same request', [paid, refused('DUPLICATE_REFERENCE')], 'differs DUPLICATE_REFERENCE'],
  ['same key, same request', [paid, paid, other], 'differs first answer'],
  ['same key, same request', [paid, paid], 'differs'],
  ['same key, same request', [paid, paid, busy], 'differs'],
  ['same key, same request', [paid, paid, paid], 'differs'],
  ['same key, same request', [paid, other, other], 'differs'],
  ['same key, same request', [given(undefined), given(undefined), other], 'differs'],
  ['same key, same request', [given(null), given(null), other], 'differs'],
  ['same key, same request', [given(null), given(null), given(null)], 'differs'],
  ['same key, same request', [given(''), given(''), given('')], 'differs'],
  ['same key, same request', [given('…'), given('…'), other], 'differs'],
  ['same key, same request', [given(0), given(0), other], 'differs'],
  ['same key, same request', [paid, paid, given(null)], 'differs'],
  ['same key, same payout', [paid, refused('DUPLICATE_REQUEST')], 'held DUPLICATE_REQUEST'],
  ['same key, same payout', [paid, paid, other], 'differs first answer'],
  ['same key, other payout', [paid, refused('INVALID_REQUEST')], 'differs INVALID_REQUEST'],
  ['same key, other payout', [busy], 'silent'],
  ['same key, same request', [paid, wrong('reference')], 'differs'],
  ['same key, same request', [wrong('amount')], 'silent'],
  ['same key, other request', [paid, refused('DUPLICATE_REQUEST')], 'held DUPLICATE_REQUEST'],
  ['same key, other request', [paid, refused('INVALID_REQUEST')], 'differs INVALID_REQUEST'],
  ['same key, other request', [paid, paid], 'differs first answer'],
  ['same key, other request', [paid, accepted({ reference: 'nc2' })], 'differs accepted'],
  ['same key, other request', [paid, accepted({ reference: '…' })], 'differs'],
  ['key of a refusal', [network, refused('DUPLICATE_REQUEST')], 'learnt used'],
  ['key of a refusal', [network, reference], 'silent'],
  ['key of a refusal', [network, reference, paid, network], 'learnt used'],
  [
    'key of a refusal',
    [network, reference, paid, paid, paid, paid, refused('DUPLICATE_REQUEST')],
    'learnt free',
  ],
  ['key of a refusal', [network, network, paid, refused('DUPLICATE_REQUEST')], 'learnt used'],
  ['key of a refusal', [network, network, paid, refused('INVALID_REQUEST'), paid], 'learnt used'],
  ['key of a refusal', [network, network, paid, refused('INVALID_REQUEST'), busy], 'silent'],
  [
    'key of a refusal',
    [network, network, paid, refused('INVALID_REQUEST'), refused('INVALID_REQUEST')],
    'silent',
  ],
  ['key of a refusal', [network, network, paid, reference], 'differs'],
  ['key of a refusal', [network, network, paid, network], 'learnt used'],
  // The network of the person is wrong, too.
  ['key of a refusal', [network, network, network], 'silent'],
  ['key of a refusal', [network, network, refused('INVALID_REQUEST')], 'silent'],
  ['key of a refusal', [network, network, paid, paid, paid, refused('DUPLICATE_REQUEST')], 'learnt free'],
  ['key of a refusal', [network, network, paid, paid, paid, paid, refused('INVALID_REQUEST')], 'learnt free'],
  ['key of a refusal', [network, network, paid, paid, paid, paid, paid], 'learnt free'],
  ['key of a refusal', [network, network, paid, paid, paid, paid, other], 'silent'],
  ['key of a refusal', [network, network, paid, accepted(), paid, accepted(), accepted()], 'silent'],
  ['key of a refusal', [network, network, paid, hidden, paid, hidden, hidden], 'silent'],
  ['key of a refusal', [network, network, paid, paid, paid, reference, other], 'silent'],
  ['key of a refusal', [network, network, busy], 'silent'],
  ['key of a refusal', [network, network, paid, busy], 'silent'],
  ['key of a refusal', [network, network, paid, paid, paid, busy], 'silent'],
  ['key of a refusal', [network, network, paid, paid, paid, paid, busy], 'silent'],
  ['key of a refusal', [network, network, paid, wrong('reference')], 'differs'],
  ['key of a refusal', [network, refused('INVALID_PHONE')], 'differs'],
  ['key of a refusal', [busy], 'silent'],
  [
    'reference used again by a collection',
    [paid, refused('DUPLICATE_REFERENCE')],
    'learnt DUPLICATE_REFERENCE',
  ],
  ['reference used again by a collection', [paid, wrong('reference')], 'learnt errors.reference'],
  ['reference used again by a collection', [paid, other], 'learnt accepted'],
  ['reference used again by a collection', [paid, paid], 'differs'],
  ['reference used again by a collection', [given('…'), given('…')], 'differs'],
  ['reference used again by a collection', [given(null), paid], 'differs'],
  ['reference used again by a collection', [paid, wrong('amount')], 'differs'],
  ['reference used again by a payout', [paid, refused('DUPLICATE_REFERENCE')], 'held DUPLICATE_REFERENCE'],
  ['reference used again by a payout', [paid, paid], 'differs'],
  ['reference used again by a payout', [busy], 'silent'],
  ['reference of a collection used by a payout', [paid, paid], 'learnt free'],
  ['reference of a collection used by a payout', [paid, refused('DUPLICATE_REFERENCE')], 'learnt used'],
  ['reference of a collection used by a payout', [paid, busy], 'silent'],
  ['longest reference', [wrong('reference'), paid], 'learnt 255'],
  ['longest reference', [wrong('reference'), refused('INVALID_REQUEST'), paid], 'silent'],
  ['longest reference', [...to128, ...halvings('RRRRRRA')], 'learnt 129'],
  ['longest reference', [...to128, ...halvings('AAAAAAA')], 'learnt 254'],
  ['longest reference', [...to128, wrong('amount')], 'silent'],
  ['longest reference', Array<StepAnswer>(7).fill(wrong('reference')), 'silent'],
  ['longest reference', [paid], 'differs'],
  // The reference was cut, or another one was given.
  ['longest reference', [...to128.slice(0, 2), hidden], 'differs'],
  ['longest reference', [...to128, ...halvings('AA'), accepted()], 'differs'],
  ['longest reference', [wrong('amount'), paid], 'silent'],
  ['amount as text', [paid, paid], 'learnt accepted'],
  ['amount as text', [paid, accepted({ amount: '100.00' })], 'differs'],
  ['amount as text', [paid, accepted({ reference: 'nc1' })], 'differs'],
  ['amount as text', [accepted({ reference: 'nc1' }), accepted({ reference: 'nc1' })], 'differs'],
  ['amount as text', [paid, wrong('amount')], 'learnt refused'],
  ['amount as text', [paid, refused('INVALID_REQUEST')], 'learnt refused'],
  ['amount as text', [paid, wrong('amount', 'phone')], 'differs'],
  ['amount as text', [wrong('amount')], 'silent'],
  ['amount with three decimals', [paid, wrong('amount')], 'learnt refused'],
  ['amount with three decimals', [paid, accepted({ amount: 1.01 })], 'learnt rounded'],
  ['amount with three decimals', [paid, accepted({ amount: '1' })], 'learnt cut'],
  ['amount with three decimals', [paid, accepted({ amount: '1.006' })], 'differs'],
  ['amount with three decimals', [paid, accepted({ amount: '2.00' })], 'differs'],
  ['amount of zero', [wrong('amount')], 'held'],
  ['amount of zero', [paid], 'differs'],
  ['other currency', [refused('INVALID_REQUEST')], 'held INVALID_REQUEST'],
  ['other currency', [wrong('currency')], 'held errors'],
  ['other currency', [paid], 'differs'],
  ['smallest amount', searched('smallest amount', 'A'), 'learnt 1'],
  ['smallest amount', searched('smallest amount', 'RRA'), 'silent'],
  ['smallest amount', searched('smallest amount', 'RAAAAAAAA'), 'learnt 2'],
  ['smallest amount', searched('smallest amount', 'RARRRRRR'), 'learnt 100'],
  // Another amount was taken.
  ['smallest amount', [accepted({ amount: '0.00' })], 'differs'],
  ['smallest amount', [accepted({ reference: 'nc1' })], 'differs'],
  ['smallest amount', [...searched('smallest amount', 'RA'), accepted({ amount: '0.50' })], 'differs'],
  ['smallest amount', [wrong('amount'), paid, wrong('phone')], 'silent'],
  ['smallest amount', [wrong('amount'), wrong('amount')], 'silent'],
  ['smallest amount', [refused('INSUFFICIENT_PERMISSIONS'), paid], 'silent'],
];

describe('what a question concludes', () => {
  it.each(TABLE)('%s: %j gives %s', (name, answers, verdict) => {
    expect(verdictOf(name, answers)).toBe(verdict);
  });

  it('never makes a fact of a failure, a lost answer or an unknown form', () => {
    for (const [name, answers] of TABLE) {
      for (let before = 0; before < answers.length; before += 1) {
        const start = answers.slice(0, before);
        expect(verdictOf(name, [...start, LOST])).toBe('silent');
        expect(verdictOf(name, [...start, UNEXPECTED])).toBe('differs');
      }
    }
  });

  it('learns that a key is forgotten within 75 minutes alone, and names the hours otherwise', () => {
    const minutes = (count: number) => count * 60_000;
    const lost = [paid, reference, other, other, alive];
    const question = questionNamed('key after an hour');
    expect(verdictOf(question.name, lost, minutes(75))).toBe('differs forgotten');
    expect(verdictOf(question.name, lost, minutes(75) + 1)).toBe('silent');
    for (const [count, hours] of [
      [90, '1.5'],
      [780, '13'],
    ] as const)
      expect(conclude(question, lost, timesOf(lost, minutes(count)))[0]?.says).toContain(
        `after ${hours} hours`,
      );
    // What is remembered for longer is remembered for an hour.
    expect(verdictOf(question.name, [paid, refused('DUPLICATE_REQUEST')], minutes(780))).toBe(
      'held remembered',
    );
    expect(verdictOf(question.name, [paid, paid, other, other], minutes(780))).toBe('differs remembered');
  });

  it('says that the first payment may have ended if nothing shows that it has not', () => {
    const answers = [paid, reference, other, other];
    const [found] = conclude(questionNamed('key after an hour'), answers, timesOf(answers, 3_600_000));
    expect(found?.says).toContain('or the first payment may have ended unpaid');
    expect(found?.fact).toBeUndefined();
  });

  it('concludes something from every known answer, whatever the question', () => {
    for (const question of QUESTIONS) {
      for (const answer of [accepted(), refused('INVALID_ACCOUNT'), wrong('remarks'), busy]) {
        const [conclusion] = conclude(question, [answer], []);
        expect(conclusion).toMatchObject({ question: question.name });
        expect(conclusion?.says).not.toMatch(/undefined|null$/);
      }
    }
  });

  it('knows no rule of keys that payouts follow and collections do not', () => {
    const found = (payout: StepAnswer) => [
      ...conclude(questionNamed('same key, same request'), [paid, refused('DUPLICATE_REQUEST')], []),
      ...conclude(questionNamed('same key, same payout'), [paid, payout], []),
    ];
    const factsWith = (payout: StepAnswer) => observedProfile(found(payout), undefined, new Date(0)).facts;
    expect(factsWith(refused('DUPLICATE_REQUEST'))).toEqual({ 'repeated key': 'DUPLICATE_REQUEST' });
    expect(factsWith(reference)).toEqual({});
    expect(found(reference)[1]).toMatchObject({
      verdict: 'differs',
      says: 'DUPLICATE_REFERENCE for the same key and payout',
    });
  });

  it.each([
    ['shows no payment', accepted({ reference: 'nc1' }), paid, 'first answer'],
    ['is surely a second one', other, paid, undefined],
    [
      'is taken, and a collection is not',
      accepted({ reference: 'nc1' }),
      refused('DUPLICATE_REQUEST'),
      undefined,
    ],
  ])(
    'knows whether payouts give the first answer, too, if a payout with a used key %s',
    (_, payout, again, value) => {
      const found = [
        ...conclude(questionNamed('same key, same request'), [paid, again, other], []),
        ...conclude(questionNamed('same key, same payout'), [paid, payout, third], []),
      ];
      expect(observedProfile(found, undefined, new Date(0)).facts['repeated key']).toBe(value);
    },
  );

  it('says exactly what a ladder saw, with the request ids', () => {
    const smallest = (word: string) =>
      conclude(questionNamed('smallest amount'), searched('smallest amount', word), [])[0];
    expect(smallest('RA')).toMatchObject({
      says: 'the smallest collection is between TZS 0.01 (refused) and TZS 1.00 (taken)',
    });
    const conclusion = smallest('RARRRRRR');
    expect(conclusion).toMatchObject({
      says: 'a collection of TZS 1.00 is accepted, TZS 0.99 is refused',
      evidence: ['id-of-success'],
      option: 'limits',
    });
  });

  it.each<[string, readonly StepAnswer[], object | undefined]>([
    ['smallest amount', searched('smallest amount', 'RR'), { least: 101 }],
    ['smallest amount', searched('smallest amount', 'RRARR'), { least: 7_601, most: 10_000 }],
    ['smallest amount', [...searched('smallest amount', 'RA'), LOST], { least: 2, most: 100 }],
    ['smallest amount', [...searched('smallest amount', 'R'), busy], { least: 2 }],
    ['longest reference', Array<StepAnswer>(7).fill(wrong('reference')), { most: 35 }],
    ['longest reference', to128, { least: 128, most: 254 }],
    ['longest metadata', [wrong('metadata'), paid, ...halvings('RRR')], { least: 4_096, most: 5_631 }],
    // A longer one with two fields is taken.
    ['longest metadata', [wrong('metadata'), paid, ...halvings('RRRRRRRRRRRRRR' + 'A')], { least: 4_097 }],
    ['amount as text', [LOST], undefined],
  ])('%s: says where a limit lies of which no value is known %#', (name, answers, range) => {
    const [found] = conclude(questionNamed(name), answers, []);
    expect(found?.verdict).toBe('silent');
    expect(found?.within).toEqual(range && { name, ...range });
  });
});
