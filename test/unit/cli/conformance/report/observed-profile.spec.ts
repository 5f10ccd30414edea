import { describe, expect, it } from 'vitest';
import { type FactName, type FactValue } from '../../../../../lib/gateway-profile/facts.js';
import { type GatewayProfile, type HmacFacts } from '../../../../../lib/gateway-profile/gateway-profile.js';
import { type Conclusion } from '../../../../../lib/cli/conformance/conclusion.js';
import {
  observedProfile,
  withoutValueSentence,
} from '../../../../../lib/cli/conformance/report/observed-profile.js';
import { isAbout } from '../../../../../lib/cli/conformance/report/about-fact.js';
import { changeLines } from '../../../../../lib/cli/conformance/report/change-lines.js';
import {
  compareProfiles,
  type ProfileComparison,
} from '../../../../../lib/cli/conformance/report/profile-changes.js';
import { conclude, observe } from '../../../../../lib/cli/conformance/questions/conclude.js';
import { OBSERVATIONS } from '../../../../../lib/cli/conformance/questions/observations.js';
import { accepted, questionNamed, refused, wrong } from '../../../../support/conformance-answers.js';
import { conclusionsOf, gatewayOf, randomProfile } from '../../../../support/conformance-run.js';
import { startSandbox } from '../../../../support/sandbox.js';

const AT = new Date('2026-11-26T10:00:00Z');
const found = (name: FactName, value: FactValue, ...evidence: string[]): Conclusion => ({
  verdict: 'learnt',
  question: name,
  says: '',
  fact: { name, value },
  evidence,
});
const profile = (over: Partial<GatewayProfile> = {}): GatewayProfile => ({
  version: 1,
  observedAt: AT.toISOString(),
  facts: {},
  evidence: {},
  ...over,
});
const SIGNED: HmacFacts = {
  scheme: 'hmac',
  header: 'x-signature',
  algorithm: 'sha256',
  encoding: 'hex',
  payload: ['body'],
};

/** Collections are protected by their key, and a payout with a used key may be a second one. */
const PAYOUTS_DIFFER: readonly Conclusion[] = [
  { ...found('repeated key', 'DUPLICATE_REQUEST', 'a'), verdict: 'held', question: 'same key, same request' },
  {
    verdict: 'differs',
    question: 'same key, same payout',
    says: 'a success for the same key and payout, which may be a second payment',
    evidence: ['b'],
  },
  found('repeated key, other body', 'accepted'),
];

describe('the profile of a run', () => {
  it('has each fact with all of its evidence', () => {
    const conclusions = [
      found('bearer', 'refused', 'a'),
      found('bearer', 'refused', 'b'),
      found('smallest amount', 100),
      { verdict: 'silent', question: 'other', says: '', evidence: ['c'] } as const,
    ];
    expect(observedProfile(conclusions, undefined, AT)).toEqual(
      profile({
        facts: { bearer: 'refused', 'smallest amount': 100 },
        evidence: { bearer: ['a', 'b'], 'smallest amount': [] },
      }),
    );
  });

  it('does not know what two conclusions say differently', () => {
    const conclusions = [
      found('bearer', 'refused'),
      found('bearer', 'accepted'),
      found('bearer', 'accepted'),
    ];
    expect(observedProfile(conclusions, undefined, AT)).toEqual(profile());
  });

  it('does not know for collections and payouts what payouts do without a value', () => {
    const now = profile({ facts: { 'repeated key, other body': 'accepted' } });
    const observed = observedProfile(PAYOUTS_DIFFER, undefined, AT);
    expect(observed).toEqual({ ...now, evidence: { 'repeated key, other body': [] } });
    expect(withoutValueSentence(PAYOUTS_DIFFER, observed)).toBe(
      'The profile has no value for what the same request with the same key gives. An emulator with this profile does there what it does without one.',
    );
    expect(withoutValueSentence([found('bearer', 'refused')], observed)).toBe(
      'The profile has no value for whether Authorization: Bearer is taken. An emulator with this profile does there what it does without one.',
    );
    expect(withoutValueSentence([found('repeated key, other body', 'accepted')], observed)).toBeUndefined();
  });

  it('says how webhooks are signed if that is known', () => {
    expect(observedProfile([], SIGNED, AT).webhooks).toEqual(SIGNED);
  });
});

describe('the comparison of two profiles', () => {
  it('tells what changed, and what was not observed', () => {
    const before = profile({
      facts: { bearer: 'accepted', 'repeated key': 'first answer', 'smallest amount': 1 },
    });
    const now = profile({ facts: { bearer: 'refused', 'smallest amount': 1, 'case of bank codes': 'any' } });
    expect(compareProfiles(before, now, [])).toEqual({
      changed: [{ says: 'whether Authorization: Bearer is taken', before: 'accepted', now: 'refused' }],
      notObserved: ['what the same request with the same key gives'],
      known: 3,
    });
  });

  it('knows a signature by what it says, not by the order in the file', () => {
    const { header, ...others } = SIGNED;
    const before = profile({ webhooks: SIGNED });
    expect(compareProfiles(before, profile({ webhooks: { ...others, header } }), []).changed).toEqual([]);
    const [change] = compareProfiles(
      before,
      profile({ webhooks: { ...SIGNED, encoding: 'base64' } }),
      [],
    ).changed;
    expect(change?.says).toBe('how webhooks are signed');
    expect(compareProfiles(before, profile(), []).notObserved).toEqual(['how webhooks are signed']);
    expect(compareProfiles(profile(), before, [])).toEqual({ changed: [], notObserved: [], known: 0 });
  });

  it('is a change if a question that had a value differs without one now', () => {
    const before = profile({
      facts: {
        'repeated key': 'first answer',
        'status of INVALID_BANK': 422,
        'status of INVALID_BANK_CODE': 422,
        'status of wrong fields': 422,
        'success of POST /disbursements/bank': 200,
        'shape of INVALID_BANK': 'B',
      },
      webhooks: SIGNED,
    });
    const varied = OBSERVATIONS.flatMap((observation) =>
      observe(
        observation,
        [
          refused('INVALID_BANK_CODE', { status: 400, shape: 'A' }),
          refused('INVALID_BANK_CODE', { status: 422, shape: 'B' }),
          wrong('amount'),
          { ...wrong('amount'), status: 400 },
          accepted({}, { status: 200 }),
          accepted({}, { status: 201 }),
        ].map((answer) => ({ operation: 'POST /disbursements/bank' as const, answer })),
      ),
    );
    const differs = { verdict: 'differs', evidence: [] } as const;
    const { changed, notObserved } = compareProfiles(before, profile(), [
      ...varied,
      { ...differs, question: 'same key, same payout', says: 'a success of another payment' },
      { ...differs, question: 'webhook signature', says: 'some webhooks are signed in another way' },
    ]);
    expect(changed.map(({ says, now }) => [says, now])).toEqual([
      ['what the same request with the same key gives', 'a success of another payment'],
      ['the HTTP status of messages by field', 'the status of messages by field varies: 400, 422'],
      [
        'the HTTP status of a success of POST /disbursements/bank',
        'the success of POST /disbursements/bank varies: 200, 201',
      ],
      ['the HTTP status of INVALID_BANK_CODE', 'the status of INVALID_BANK_CODE varies: 400, 422'],
      ['how webhooks are signed', 'some webhooks are signed in another way'],
    ]);
    expect(notObserved).toEqual(['the HTTP status of INVALID_BANK', 'the error shape of INVALID_BANK']);
  });

  it('is a change if payouts follow another rule than collections now', () => {
    const before = profile({ facts: { 'repeated key': 'DUPLICATE_REQUEST' } });
    const now: readonly Conclusion[] = [
      { ...found('repeated key', 'DUPLICATE_REQUEST'), verdict: 'held', question: 'same key, same request' },
      {
        ...found('repeated key', 'DUPLICATE_REFERENCE'),
        verdict: 'differs',
        question: 'same key, same payout',
        says: 'DUPLICATE_REFERENCE for the same key and payout',
      },
    ];
    const { changed } = compareProfiles(before, observedProfile(now, undefined, AT), now);
    expect(changed.map((change) => change.now)).toEqual(['DUPLICATE_REFERENCE for the same key and payout']);
  });

  it('is a change if payouts have no rule any more that has a value', () => {
    const before = profile({ facts: { 'repeated key': 'DUPLICATE_REQUEST' } });
    const now = observedProfile(PAYOUTS_DIFFER, undefined, AT);
    expect(compareProfiles(before, now, PAYOUTS_DIFFER).changed).toEqual([
      {
        says: 'what the same request with the same key gives',
        before: 'DUPLICATE_REQUEST',
        now: 'a success for the same key and payout, which may be a second payment',
      },
    ]);
  });

  it.each([
    [{ least: 101 }, 101, false],
    [{ least: 101 }, 100, true],
    [{ most: 99 }, 99, false],
    [{ most: 99 }, 100, true],
    [{}, 100, false],
  ])('is a change if a limit lies within %j now, and was %s: %s', (range, before, isChange) => {
    const says = 'TZS 1.00 is refused, and nothing larger was asked';
    const within = { name: 'smallest amount', ...range } as const;
    const now: readonly Conclusion[] = [
      { verdict: 'silent', question: 'smallest amount', says, evidence: [], within },
    ];
    const facts = { 'smallest amount': before, 'longest reference': 36 };
    const { changed, notObserved } = compareProfiles(profile({ facts }), profile(), now);
    expect(changed.map((change) => change.now)).toEqual(isChange ? [says] : []);
    expect(notObserved).toHaveLength(isChange ? 1 : 2);
  });

  it('is a change if a payout is taken whose reference was used', () => {
    const paid = accepted({ reference: 'nc1' });
    const now = conclude(questionNamed('reference used again by a payout'), [paid, paid], []);
    const before = profile({ facts: { 'repeated reference of a payout': 'DUPLICATE_REFERENCE' } });
    const { changed } = compareProfiles(before, observedProfile(now, undefined, AT), now);
    expect(changed.map((change) => change.now)).toEqual([
      'a second payout with a used reference is accepted',
    ]);
  });

  it.each([1, 2, 3])('knows for every fact which question finds it: random profile %s', async (seed) => {
    const sandbox = await startSandbox({ clock: 'manual', profile: randomProfile(seed) });
    const conclusions = await conclusionsOf(gatewayOf(sandbox));
    const facts = conclusions.filter(({ fact }) => fact && !/^(?:status|shape|success) of /.test(fact.name));
    expect(facts.length).toBeGreaterThan(5);
    for (const conclusion of facts) {
      expect(conclusion).toSatisfy(() => isAbout(conclusion, conclusion.fact!.name));
    }
  });

  it('says how much it is worth', () => {
    const changed = [{ says: 'a', before: 1, now: 2 }];
    const plain = (_: unknown, text: string): string => text;
    const last = (comparison: ProfileComparison): string | undefined => changeLines(comparison, plain).at(-1);
    expect(last({ changed: [], notObserved: [], known: 3 })).toBe(
      'Nothing has changed: 3 of 3 facts could be compared.',
    );
    expect(last({ changed: [], notObserved: ['b', 'c'], known: 2 })).toBe(
      'Nothing could be compared: 0 of 2 facts.',
    );
    expect(last({ changed, notObserved: ['b'], known: 2 })).toBe(
      '1 fact has changed: 1 of 2 facts could be compared.',
    );
  });
});
