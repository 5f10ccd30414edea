import { describe, expect, it } from 'vitest';
import { FACT_NAMES } from '../../../lib/gateway-profile/facts.js';
import { readProfile } from '../../../lib/gateway-profile/read-profile.js';
import { resolvedFacts } from '../../../lib/gateway-profile/resolved-facts.js';
import { profileWith, randomProfile } from '../../support/gateway-profiles.js';

const PROFILE = profileWith({});
const SIGNED = {
  scheme: 'hmac',
  header: 'x-signature',
  algorithm: 'sha256',
  encoding: 'hex',
  payload: ['body'],
};
const TIMED = { ...SIGNED, payload: ['timestamp', { literal: '.' }, 'body'] };

function problemsOf(value: unknown): string {
  try {
    readProfile(value, 'gateway.json');
  } catch (error) {
    expect(error).toMatchObject({ name: 'PaymentsConfigError' });
    return (error as Error).message;
  }
  return '';
}

describe('reading a profile', () => {
  it.each(Array.from({ length: 50 }, (_, seed) => randomProfile(seed)))(
    'takes any gateway that the table knows, written as JSON (%#)',
    (profile) => {
      expect(readProfile(JSON.parse(JSON.stringify(profile)), 'gateway.json')).toEqual(profile);
    },
  );

  it.each([
    { webhooks: SIGNED },
    { webhooks: { ...SIGNED, prefix: 'sha256=' } },
    { webhooks: { ...TIMED, timestamp: { header: 'x-at', unit: 'ms' } } },
    { webhooks: { ...SIGNED, payload: ['id', 'body'], id: { header: 'x-id' }, secretEncoding: 'hex' } },
    { webhooks: { scheme: 'standardWebhooks', prefix: 'svix', secretEncoding: 'utf8' } },
    { webhooks: { scheme: 'stripeStyle', header: 'x-signature', unit: 'ms', separator: '#' } },
    { facts: { 'status of PROVIDER_ERROR': 422, 'shape of PROVIDER_ERROR': 'A' } },
    { facts: { 'smallest amount': 77, 'status of INVALID_BANK': 418 } },
    { evidence: { bearer: ['6f2c1d5e-8a55-4c7b-9d0e-2b1f7a3c4d5e'] } },
    { observedAt: '2026-06-01T08:00:00.123Z' },
  ])('takes %j', (fields) => {
    expect(problemsOf({ ...PROFILE, ...fields })).toBe('');
  });

  it.each([
    [{ version: 2 }, 'gateway.json: version must be 1: this package reads no other version.'],
    [{ version: '1' }, 'gateway.json: version must be 1: this package reads no other version.'],
    [
      { observedAt: '2026-06-01' },
      'gateway.json: observedAt must be a moment in UTC: write "2026-06-01T08:00:00Z".',
    ],
    [{ observedAt: '2026-13-41T08:00:00Z' }, 'observedAt must be a moment'],
    [{ observedAt: '2026-02-31T08:00:00Z' }, 'observedAt must be a moment'],
    [{ facts: [] }, 'facts must be an object'],
    [{ evidence: null }, 'evidence must be an object'],
    [
      { facts: { bearr: 'accepted' } },
      `gateway.json: facts["bearr"] is no fact that this package knows. Did you mean 'bearer'?`,
    ],
    [{ facts: { toString: 'accepted' } }, 'facts["toString"] is no fact'],
    [
      { facts: { bearer: 'acepted' } },
      `gateway.json: facts["bearer"] must be one of "accepted", "refused". Did you mean 'accepted'?`,
    ],
    [{ facts: { bearer: 1 } }, 'facts["bearer"] must be one of "accepted", "refused".'],
    [
      { facts: { 'status of INVALID_BANK': 600 } },
      'facts["status of INVALID_BANK"] must be a whole number from 200 to 203 or from 400 to 599.',
    ],
    [
      { facts: { 'status of INVALID_BANK': '422' } },
      'facts["status of INVALID_BANK"] must be a whole number from 200 to 203 or from 400 to 599.',
    ],
    [{ facts: { 'smallest amount': 0 } }, 'facts["smallest amount"] must be a whole number from 1 to'],
    [{ facts: { 'longest reference': 256 } }, 'must be a whole number from 1 to 255.'],
    [{ evidence: { bearer: [1] } }, 'evidence["bearer"] must be a list of request ids.'],
    [{ evidence: { baerer: [] } }, `evidence["baerer"] is no fact that this package knows. Did you mean`],
    [{ fact: {} }, `gateway.json: fact is no field of a profile. Did you mean 'facts'?`],
    [{ webhooks: 'none' }, 'webhooks must be an object'],
    [{ webhooks: { ...SIGNED, header: 'X Sign' } }, 'webhooks.header must be the name of a header'],
    [{ webhooks: { ...SIGNED, algorithm: 'md5' } }, 'webhooks.algorithm must be one of "sha256"'],
    [{ webhooks: { ...SIGNED, encoding: 'HEX' } }, 'webhooks.encoding must be one of "hex"'],
    [{ webhooks: { ...SIGNED, prefix: 7 } }, 'webhooks.prefix must be text'],
    [{ webhooks: TIMED }, 'webhooks.timestamp must be there if the payload has "timestamp", and only then.'],
    [{ webhooks: { ...SIGNED, timestamp: { header: 'x-at', unit: 's' } } }, 'and only then.'],
    [{ webhooks: { ...SIGNED, id: { header: 'x-id' } } }, 'webhooks.id must be there if'],
    [{ webhooks: { ...SIGNED, payload: [] } }, 'webhooks.payload must be a list with "body"'],
    [{ webhooks: { ...SIGNED, payload: ['body', 'url'] } }, 'webhooks.payload must be a list'],
    [{ webhooks: { ...SIGNED, secretEncoding: 'utf8' } }, 'webhooks.secretEncoding must be one of "base64"'],
    [
      { webhooks: { scheme: 'hmc' } },
      'webhooks.scheme must be one of "hmac", "standardWebhooks", "stripeStyle".',
    ],
    [{ webhooks: { scheme: 'stripeStyle' } }, 'webhooks.header must be the name of a header'],
    [{ webhooks: { scheme: 'standardWebhooks', header: 'x' } }, 'webhooks.header is no field of a profile'],
    [
      { webhooks: { ...TIMED, timestamp: { header: 'x-at', unit: 'm' } } },
      'webhooks.timestamp.unit must be one of "s", "ms", "iso".',
    ],
    [{ webhooks: { ...SIGNED, secret: 'x' } }, 'webhooks.secret is no field of a profile.'],
  ])('refuses %j and says what may stand there', (fields, says) => {
    expect(problemsOf({ ...PROFILE, ...fields })).toContain(says);
  });

  it.each([null, [], 'gateway', 1, undefined])('refuses %j, which is no profile', (value) => {
    expect(problemsOf(value)).toBe(
      'gateway.json: it must be an object: name what `conformance --out` wrote.',
    );
  });

  it('says nothing of the fields of another version, which may mean something else', () => {
    expect(problemsOf({ ...PROFILE, version: 2, facts: [], other: 1 })).toBe(
      'gateway.json: version must be 1: this package reads no other version.',
    );
  });

  it('names every wrong field at once', () => {
    const message = problemsOf({ ...PROFILE, observedAt: 1, facts: { bearer: 'no' } });
    expect(message).toContain('observedAt');
    expect(message).toContain('bearer');
  });
});

describe('the facts of a profile', () => {
  it('are completed by what the emulator does without a profile', () => {
    const facts = resolvedFacts({ bearer: 'refused' });
    expect(Object.keys(facts).sort()).toEqual([...FACT_NAMES].sort());
    expect(facts).toMatchObject({
      bearer: 'refused',
      'longest reference': 255,
      'repeated key': 'DUPLICATE_REQUEST',
    });
  });

  it('are other ones for another seed, and every value of a fact comes up', () => {
    const seen = new Set<unknown>();
    for (let seed = 0; seed < 60; seed += 1) seen.add(randomProfile(seed).facts['repeated key']);
    expect([...seen].sort()).toEqual(['DUPLICATE_REFERENCE', 'DUPLICATE_REQUEST', 'first answer']);
    expect(randomProfile(3)).toEqual(randomProfile(3));
  });
});
