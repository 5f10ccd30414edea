import { describe, expect, it } from 'vitest';
import { type FactName, type FactValue } from '../../../../../lib/gateway-profile/facts.js';
import { type GatewayProfile, type HmacFacts } from '../../../../../lib/gateway-profile/gateway-profile.js';
import { type Conclusion } from '../../../../../lib/cli/conformance/conclusion.js';
import { observedProfile } from '../../../../../lib/cli/conformance/report/observed-profile.js';
import { compareProfiles } from '../../../../../lib/cli/conformance/report/profile-changes.js';

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
    expect(compareProfiles(before, now)).toEqual({
      changed: [{ says: 'whether Authorization: Bearer is taken', before: 'accepted', now: 'refused' }],
      notObserved: ['what the same request with the same key gives'],
    });
  });

  it('knows a signature by what it says, not by the order in the file', () => {
    const { header, ...others } = SIGNED;
    const before = profile({ webhooks: SIGNED });
    expect(compareProfiles(before, profile({ webhooks: { ...others, header } })).changed).toEqual([]);
    const [change] = compareProfiles(
      before,
      profile({ webhooks: { ...SIGNED, encoding: 'base64' } }),
    ).changed;
    expect(change?.says).toBe('how webhooks are signed');
    expect(compareProfiles(before, profile()).notObserved).toEqual(['how webhooks are signed']);
    expect(compareProfiles(profile(), before)).toEqual({ changed: [], notObserved: [] });
  });
});
