import { describe, expect, it } from 'vitest';
import { redeliveryRule } from '../../../../../lib/cli/conformance/webhooks/answer-rule.js';
import { type CapturedDelivery } from '../../../../../lib/cli/conformance/webhooks/captured-delivery.js';
import {
  firstRedelivery,
  receivedAnswers,
} from '../../../../../lib/cli/conformance/webhooks/redelivery-found.js';
import { repeatedBytes } from '../../../../../lib/cli/conformance/webhooks/repeats-found.js';
import {
  type AskedReferences,
  type WebhooksHeard,
} from '../../../../../lib/cli/conformance/webhooks/webhooks-heard.js';
import { learntScheme } from '../../../../../lib/webhooks/signature/learnt-scheme.js';

const SECOND = 1_000;
const SIGNED_AT = Date.parse('2026-11-28T10:00:00Z');
const ASKED: AskedReferences = new Map(
  ['a', 'b', 'c', 'd', 'e', 'f'].map((reference) => [reference, { ending: 'approve', accepted: 'now' }]),
);
const UNSIGNED = { conclusion: { verdict: 'silent', says: '', evidence: [] } } as const;
const bodyOf = (reference: string, more: object = {}): Buffer =>
  Buffer.from(JSON.stringify({ event: 'payment.success', data: { reference, ...more } }));

/** Sends what a gateway sends at these seconds, and keeps what the rule answers. */
function heardAt(
  sent: readonly (readonly [second: number, reference: string, more?: object])[],
  until = 600,
  asked = ASKED,
): WebhooksHeard {
  const rule = redeliveryRule(asked);
  const deliveries: CapturedDelivery[] = [];
  for (const [second, reference, more] of [...sent].sort(([left], [right]) => left - right)) {
    const [at, body] = [second * SECOND, bodyOf(reference, more)];
    const status = rule(body, at, deliveries);
    deliveries.push({ at, machineTime: at, method: 'POST', url: '/', headers: new Map(), body, status });
  }
  return { deliveries, asked, secrets: [], from: 0, until: until * SECOND };
}

/** The deliveries of a gateway that waits for `wait`, and for which these answers do not count as received. */
function scheduled(wait: number, again: readonly string[], start = 0): (readonly [number, string])[] {
  return ['a', 'b', 'c', 'd', 'e'].flatMap((reference, place) => {
    const first = start + place;
    return again.includes(reference)
      ? [
          [first, reference],
          [first + wait, reference],
        ]
      : [[first, reference]];
  });
}

describe('the answers to webhooks', () => {
  it('refuse two events, try out other successes on three, and take the rest', () => {
    const sent = ['a', 'b', 'c', 'd', 'e', 'f'].flatMap((reference, place) =>
      [0, 10, 20].map((later) => [place + later, reference] as const),
    );
    const answered = heardAt(sent).deliveries.map(({ body, status }) => [
      (JSON.parse(body.toString()) as { data: { reference: string } }).data.reference,
      status,
    ]);
    const of = (reference: string): unknown[] =>
      answered.filter(([own]) => own === reference).map(([, status]) => status);
    expect(['a', 'b', 'c', 'd', 'e', 'f'].map(of)).toEqual([
      [500, 500, 200],
      [500, 200, 200],
      [204, 200, 200],
      [201, 200, 200],
      [202, 200, 200],
      [200, 200, 200],
    ]);
  });

  it('are the same for copies of one try', () => {
    expect(
      heardAt([
        [0, 'a'],
        [0.1, 'a'],
        [0.4, 'a'],
        [5, 'a'],
        [5, 'a'],
      ]).deliveries.map(({ status }) => status),
    ).toEqual([500, 500, 500, 500, 500]);
  });

  it('try nothing out on payments of an earlier part of the run, whose tries may have been missed', () => {
    const asked = new Map([...ASKED, ['old', { ending: 'approve', accepted: 'earlier' } as const]]);
    const again = ['old', 'a', 'b', 'c', 'd', 'e'].flatMap((reference, place) =>
      [0, 5].map((later) => [place + later, reference] as const),
    );
    const heard = heardAt([...again, [300, 'old']], 600, asked);
    expect(heard.deliveries[0]?.status).toBe(200);
    expect(firstRedelivery(heard).fact).toEqual({ name: 'first redelivery', value: 5 });
    expect(receivedAnswers(heard).fact).toEqual({ name: 'webhook answers', value: '200' });
  });
});

describe('the first redelivery', () => {
  it.each([1, 2, 5, 30, 60, 300])('is learnt if it comes after %s s', (wait) => {
    const heard = heardAt(scheduled(wait, ['a', 'b', 'c', 'd', 'e']));
    expect(firstRedelivery(heard).fact).toEqual({ name: 'first redelivery', value: wait });
    expect(receivedAnswers(heard).fact).toEqual({ name: 'webhook answers', value: '200' });
    const taken = heardAt(scheduled(wait, ['a', 'b']));
    expect(receivedAnswers(taken).fact).toEqual({ name: 'webhook answers', value: '2xx' });
  });

  it('is learnt from copies that come together', () => {
    const heard = heardAt(
      scheduled(5, ['a', 'b']).flatMap(
        ([at, own]) =>
          [
            [at, own],
            [at + 0.2, own],
          ] as const,
      ),
    );
    expect(firstRedelivery(heard).fact).toEqual({ name: 'first redelivery', value: 5 });
  });

  it.each<[string, [number, string][], number, string]>([
    ['nothing came', [], 600, 'no webhook came that could be refused'],
    [
      'nothing came again',
      [
        [0, 'a'],
        [1, 'b'],
      ],
      90,
      'a refused webhook did not come again within 90 s',
    ],
    [
      'one came again',
      [
        [0, 'a'],
        [5, 'a'],
        [1, 'b'],
      ],
      600,
      'the first wait was 5 s for one webhook; two have to agree',
    ],
    [
      'a try was lost',
      [
        [0, 'a'],
        [5, 'a'],
        [1, 'b'],
        [301, 'b'],
      ],
      600,
      'the first wait was 5 s and 300 s',
    ],
  ])('is silent if %s', (_, sent, until, says) => {
    expect(firstRedelivery(heardAt(sent, until))).toEqual({ verdict: 'silent', says, evidence: [] });
  });
});

describe('the answers that count as received', () => {
  it('differ if some other successes count', () => {
    expect(receivedAnswers(heardAt(scheduled(5, ['a', 'b', 'c'])))).toMatchObject({
      verdict: 'differs',
      says: 'of 201, 202, 204, 201 and 202 alone count as received',
    });
  });

  it('are not known before the wait has passed', () => {
    expect(receivedAnswers(heardAt(scheduled(5, ['a', 'b']), 8))).toEqual({
      verdict: 'silent',
      says: 'not seen what an answer of 201 and 202 and 204 does',
      evidence: [],
    });
  });

  it('are not known of a gateway that delivers again whatever the answer is', () => {
    const sent = ['a', 'b', 'c', 'd', 'e'].flatMap((reference, place) =>
      [0, 5, 305].map((later) => [place + later, reference] as const),
    );
    const says = 'a webhook that was answered with 200 came again, too';
    expect(firstRedelivery(heardAt(sent))).toEqual({ verdict: 'silent', says, evidence: [] });
    expect(receivedAnswers(heardAt(sent))).toEqual({ verdict: 'silent', says, evidence: [] });
  });

  it('are not known from a copy at another time', () => {
    const heard = heardAt([...scheduled(60, ['a', 'b']), [20, 'c'], [21, 'd'], [22, 'e']]);
    expect(receivedAnswers(heard).fact?.value).toBe('2xx');
  });
});

describe('a webhook that comes again', () => {
  it('held if it has the same bytes, and differs if not', () => {
    expect(repeatedBytes(heardAt([[0, 'a']]), UNSIGNED).verdict).toBe('silent');
    expect(
      repeatedBytes(
        heardAt([
          [0, 'a'],
          [5, 'a'],
        ]),
        UNSIGNED,
      ),
    ).toMatchObject({
      verdict: 'held',
      says: 'a webhook that comes again has the same bytes',
    });
    expect(
      repeatedBytes(
        heardAt([
          [0, 'a'],
          [5, 'a', { try: 2 }],
        ]),
        UNSIGNED,
      ),
    ).toMatchObject({
      verdict: 'differs',
      says: 'a webhook that comes again has other bytes',
    });
  });

  it.each([
    ['is held if it is signed again', 5, 'held', 'a new signature', 'signed again'],
    [
      'is learnt if it has its old signed time, which the package may refuse',
      0,
      'learnt',
      'the same signature and the signed time of its first try',
      'as before',
    ],
  ] as const)('%s', (_, signedAgainAfter, verdict, clause, value) => {
    const facts = { scheme: 'stripeStyle', header: 'x-s' } as const;
    const secret = 'a secret of this spec';
    const heard = heardAt([
      [0, 'a'],
      [5, 'a'],
    ]);
    const deliveries = heard.deliveries.map((delivery, place) => {
      const now = SIGNED_AT + place * signedAgainAfter * SECOND;
      const signed = learntScheme(facts).sign?.({ body: delivery.body, key: Buffer.from(secret), now });
      const headers = new Map(Object.entries(signed ?? {}).map(([name, text]) => [name, [text]]));
      return { ...delivery, headers };
    });
    const found = repeatedBytes(
      { ...heard, deliveries, secrets: [secret] },
      { ...UNSIGNED, webhooks: facts },
    );
    expect(found).toMatchObject({
      verdict,
      says: `a webhook that comes again has the same bytes and ${clause}`,
      fact: { name: 'repeated webhook', value },
    });
    expect(found.option).toBe(value === 'as before' ? 'toleranceSeconds' : undefined);
  });
});
