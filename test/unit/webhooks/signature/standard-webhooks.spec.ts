import { describe, expect, it } from 'vitest';
import { type SignatureVerdict } from '../../../../lib/common/webhook-scheme.js';
import { readEvent } from '../../../../lib/webhooks/signature/read-event.js';
import {
  standardWebhooks,
  type StandardWebhooksOptions,
} from '../../../../lib/webhooks/signature/standard-webhooks.js';
import { delivery, signatureOf, STANDARD, timeText } from '../../../support/scheme-cases.js';

const NOW = 1_800_000_000_000;
const BODY = Buffer.from('{"event":"payment.success"}');
const time = timeText('s', NOW);
const refused = { ok: false, reason: expect.any(String) as unknown };

function verdict(id: string, at = time, body: Uint8Array = BODY, signed = { id, time: at, body }) {
  const signature = signatureOf(STANDARD, signed, signed.body);
  const webhook = delivery(STANDARD.headers(signature, { id, time: at }), body);
  return STANDARD.scheme.verify(webhook, [STANDARD.key], NOW) as SignatureVerdict;
}

describe('standardWebhooks()', () => {
  it('binds id, time and body to each other', () => {
    expect(verdict('msg_1')).toEqual({ ok: true });
    const signed = { id: 'msg_1', time, body: BODY };
    expect(verdict('msg_2', time, BODY, signed)).toEqual(refused);
    expect(verdict('msg_1', '1800000001', BODY, signed)).toEqual(refused);
    expect(verdict('msg_1', time, Buffer.from('{}'), signed)).toEqual(refused);
  });

  it('leaves no event when the signed bytes are cut at another full stop', () => {
    const signed = {
      id: 'msg_1',
      time,
      body: Buffer.from('{"event":"payment.success","note":".1800000001.{}"}'),
    };
    const [start, rest] = signed.body.toString().split('.1800000001.') as [string, string];
    expect(verdict(`msg_1.${time}.${start}`, '1800000001', Buffer.from(rest), signed)).toEqual({ ok: true });
    expect(readEvent(Buffer.from(rest))).not.toHaveProperty('event');
    const dotted = { id: 'msg.1800000001', time, body: Buffer.from('{}') };
    const cut = Buffer.from(`${time}.{}`);
    expect(verdict('msg', '1800000001', cut, dotted)).toEqual({ ok: true });
    expect(readEvent(cut)).not.toHaveProperty('event');
  });

  it.each(['evt.paid', 'evt.1', '1800000000', 'a.b.c', 'é'])('takes the id %s', (id) => {
    expect(verdict(id)).toEqual({ ok: true });
  });

  it('does not check a signature of another version', () => {
    const signature = signatureOf(STANDARD, { id: 'msg_1', time }, BODY);
    for (const version of ['v1a,', 'v2,', 'V1,', 'v1', 'v1=', '']) {
      const headers = STANDARD.headers('', { id: 'msg_1', time });
      const webhook = delivery({ ...headers, 'webhook-signature': version + signature }, BODY);
      expect(STANDARD.scheme.verify(webhook, [STANDARD.key], NOW)).toEqual(refused);
    }
  });

  it('reads and writes the header names of another prefix, with the tolerance that was asked for', () => {
    const scheme = standardWebhooks({ prefix: 'svix', toleranceSeconds: 10 });
    const headers = scheme.sign!({ body: BODY, key: STANDARD.key, now: NOW, id: 'msg_1' });
    expect(Object.keys(headers).sort()).toEqual(['svix-id', 'svix-signature', 'svix-timestamp']);
    expect(scheme.verify(delivery(headers, BODY), [STANDARD.key], NOW + 10_000)).toEqual({ ok: true });
    expect(scheme.verify(delivery(headers, BODY), [STANDARD.key], NOW + 10_001)).toEqual(refused);
    expect(STANDARD.scheme.verify(delivery(headers, BODY), [STANDARD.key], NOW)).toEqual(refused);
  });

  it('gives every delivery an id of its own', () => {
    const ids = [1, 2].map(
      () => STANDARD.scheme.sign!({ body: BODY, key: STANDARD.key, now: NOW })['webhook-id'],
    );
    expect(new Set(ids).size).toBe(2);
  });

  it('tells its name and how its secrets are written', () => {
    expect(STANDARD.scheme).toMatchObject({
      name: 'standard-webhooks',
      secretForm: { encoding: 'base64', prefix: 'whsec_', minBytes: 24, maxBytes: 64 },
    });
  });

  it('has a tolerance of five minutes unless another was asked for', () => {
    const { key: secret, scheme } = STANDARD;
    const webhook = delivery(scheme.sign!({ body: BODY, key: secret, now: NOW }), BODY);
    expect(standardWebhooks().verify(webhook, [secret], NOW + 300_000)).toEqual({ ok: true });
    expect(standardWebhooks().verify(webhook, [secret], NOW + 300_001)).toEqual(refused);
  });

  const HEADER = "must be the name of an HTTP header, for example 'x-webhook-signature'";
  const TOLERANCE = 'must be a whole number of seconds from 1 on: write 300';

  it.each<[option: string, problem: string, change: Partial<Record<keyof StandardWebhooksOptions, unknown>>]>(
    [
      ['prefix', HEADER, { prefix: 'web hook' }],
      ['prefix', HEADER, { prefix: '' }],
      ['prefix', HEADER, { prefix: null }],
      ['toleranceSeconds', TOLERANCE, { toleranceSeconds: -1 }],
      ['toleranceSeconds', TOLERANCE, { toleranceSeconds: null }],
    ],
  )('refuses the option %s, which %s: %j', (option, problem, change) => {
    expect(() => standardWebhooks(change as StandardWebhooksOptions)).toThrow(
      expect.objectContaining({
        name: 'PaymentsConfigError',
        message: `The option ${option} of standardWebhooks() ${problem}.`,
      }),
    );
  });
});
