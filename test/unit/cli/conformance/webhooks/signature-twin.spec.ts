import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { type CapturedDelivery } from '../../../../../lib/cli/conformance/webhooks/captured-delivery.js';
import { signingWays } from '../../../../../lib/cli/conformance/webhooks/delivery-ways.js';
import { twinOf } from '../../../../../lib/cli/conformance/webhooks/signature-twin.js';

const SECRET = 'a secret of this spec';
type Algorithm = 'sha256' | 'sha384';

function signatureOf(body: string, algorithm: Algorithm): string {
  return createHmac(algorithm, SECRET).update(body).digest('base64url');
}

/** Bodies whose signatures have letters of one kind of base64 alone, or none of them. */
function bodies(isSpecial: boolean, algorithm: Algorithm): readonly string[] {
  const all = Array.from({ length: 200 }, (_, number) => `{"number":${number}}`);
  return all.filter((body) => /[-_]/.test(signatureOf(body, algorithm)) === isSpecial).slice(0, 2);
}

function delivery(body: string, algorithm: Algorithm): CapturedDelivery {
  return {
    at: 0,
    machineTime: 0,
    method: 'POST',
    url: '/hooks',
    headers: new Map([['x-s', [signatureOf(body, algorithm)]]]),
    body: Buffer.from(body),
    status: 200,
  };
}

describe('another way of reading a signature', () => {
  it.each<[string, boolean, Algorithm, string | undefined]>([
    ['is the other kind of base64 if no letter tells them apart', false, 'sha384', 'base64url'],
    ['is none if a letter tells them apart', true, 'sha384', undefined],
    ['is none if the padding tells them apart', false, 'sha256', undefined],
  ])('%s', (_, isSpecial, algorithm, twin) => {
    const deliveries = bodies(isSpecial, algorithm).map((body) => delivery(body, algorithm));
    expect(deliveries).toHaveLength(2);
    const ways = signingWays(deliveries, [SECRET]);
    const way = ways.find(({ facts }) => facts);
    const found = way?.facts && twinOf(way, way.facts, ways, [SECRET]);
    expect(way?.deliveries).toHaveLength(2);
    expect(found && 'encoding' in found ? found.encoding : undefined).toBe(twin);
  });
});
