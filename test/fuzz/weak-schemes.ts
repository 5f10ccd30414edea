import { createHmac } from 'node:crypto';
import { type RawWebhook, type WebhookScheme } from 'nestjs-payments';
import { type SchemeCase, STANDARD } from '../support/scheme-cases.js';

/** What each verifier of Standard Webhooks below does in its own way. */
interface Habits {
  readonly headerOf: (webhook: RawWebhook, name: string) => string;
  readonly same: (given: string, expected: string) => boolean;
  readonly secondsOf: (text: string) => number;
  readonly toleranceSeconds: number;
  readonly keys: (keys: readonly Uint8Array[]) => readonly Uint8Array[];
}

const RIGHT: Habits = {
  headerOf: ({ headers }, name) => {
    const values = headers.get(name) ?? [];
    return values.length === 1 ? values[0]! : '';
  },
  same: (given, expected) => given === expected,
  secondsOf: (text) => (/^[1-9]\d*$/.test(text) ? Number(text) : Number.NaN),
  toleranceSeconds: 300,
  keys: (keys) => keys.filter((key) => key.some((byte) => byte !== 0)),
};

const WEAKNESSES: Readonly<Record<string, Partial<Habits>>> = {
  'compares the start only': { same: (given, expected) => expected.startsWith(given) },
  'compares as many characters as it got': {
    same: (given, expected) => given.startsWith('v1,') && expected.startsWith(given),
  },
  'ignores what follows the signature': { same: (given, expected) => given.startsWith(expected) },
  'ignores case': { same: (given, expected) => given.toLowerCase() === expected.toLowerCase() },
  'compares decoded signatures': {
    same: (given, expected) =>
      Buffer.from(given.slice(3), 'base64').equals(Buffer.from(expected.slice(3), 'base64')),
  },
  'compares Latin-1 bytes': {
    same: (given, expected) => Buffer.from(given, 'latin1').equals(Buffer.from(expected, 'latin1')),
  },
  'takes an empty signature': { same: (given, expected) => given === '' || given === expected },
  'takes any time': { toleranceSeconds: Infinity },
  'takes a second more': { toleranceSeconds: 301 },
  'parses the start of a time': { secondsOf: (text) => Number.parseInt(text, 10) },
  'converts a time': { secondsOf: (text) => Number(text) },
  'takes the first of two headers': { headerOf: ({ headers }, name) => headers.get(name)?.[0] ?? '' },
  'joins two headers': { headerOf: ({ headers }, name) => (headers.get(name) ?? []).join(' ') },
  'fails on an absent header': { headerOf: ({ headers }, name) => headers.get(name)![0]! },
  'takes an empty key': { keys: (keys) => keys },
  'fails without a key': { keys: (keys) => [keys[0]!.subarray(0), ...keys.slice(1)] },
};

/** Verifiers as people write them, each with one weakness. */
export const WEAK: readonly (readonly [weakness: string, subject: SchemeCase])[] = Object.entries(
  WEAKNESSES,
).map(([weakness, habits]) => [weakness, { ...STANDARD, scheme: verifierOf({ ...RIGHT, ...habits }) }]);

/** The same verifier without a weakness. */
export const SOUND: SchemeCase = { ...STANDARD, scheme: verifierOf(RIGHT) };

function verifierOf({ headerOf, same, secondsOf, toleranceSeconds, keys }: Habits): WebhookScheme {
  return {
    name: 'weak',
    verify: (webhook, given, now) => {
      const [id, time, signatures] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) =>
        headerOf(webhook, name),
      ) as [string, string, string];
      const timely = Math.abs(now - secondsOf(time) * 1_000) <= toleranceSeconds * 1_000;
      const signed = Buffer.concat([Buffer.from(`${id}.${time}.`), webhook.body]);
      const matches = keys(given).some((key) => {
        const expected = `v1,${createHmac('sha256', key).update(signed).digest('base64')}`;
        return signatures.split(' ').some((signature) => same(signature, expected));
      });
      return timely && matches ? { ok: true } : { ok: false, reason: 'refused' };
    },
  };
}
