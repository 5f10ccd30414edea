import { describe, expect, it } from 'vitest';
import { type CapturedDelivery } from '../../../../../lib/cli/conformance/webhooks/captured-delivery.js';
import {
  clockClause,
  firstTriesOffTime,
} from '../../../../../lib/cli/conformance/webhooks/signature-time.js';
import { type AskedReference } from '../../../../../lib/cli/conformance/webhooks/webhooks-heard.js';

/** @param skew How many seconds it came after its signed time. */
function signed(second: number, skew: number | undefined, reference = 'a') {
  const at = second * 1_000;
  const body = Buffer.from(JSON.stringify({ event: 'payment.success', data: { reference } }));
  const delivery: CapturedDelivery = {
    at,
    machineTime: at,
    method: 'POST',
    url: '/',
    headers: new Map(),
    body,
    status: 500,
  };
  return { delivery, signedAt: skew === undefined ? undefined : at - skew * 1_000 };
}

describe('the signed times of webhooks', () => {
  it.each([
    [[signed(0, undefined)], ''],
    [[signed(0, 3), signed(9, 3)], 'webhooks came 3 s after the signed time'],
    [[signed(0, -2), signed(9, 305)], 'webhooks came -2 to 305 s after the signed time'],
  ])('are told by how far the arrivals are from them %#', (deliveries, says) => {
    expect(clockClause(deliveries)).toBe(says);
  });

  it.each<[string, ReturnType<typeof signed>[], AskedReference['accepted'], number]>([
    ['are not signed', [signed(0, undefined)], 'now', 0],
    ['are 300 s off', [signed(0, 300), signed(1, -300, 'b')], 'now', 0],
    ['are more than that off, past or future', [signed(0, 300.001), signed(1, -300.001, 'b')], 'now', 2],
    ['came in two copies', [signed(0, 10_800), signed(0.2, 10_800)], 'now', 2],
    ['are right, and a later try has the old time', [signed(0, 0), signed(305, 305)], 'now', 0],
    ['may have been missed', [signed(305, 305)], 'earlier', 0],
  ])('are refused by the package or not if the first tries %s', (_, deliveries, accepted, count) => {
    const asked = new Map(['a', 'b'].map((name) => [name, { ending: 'approve', accepted } as const]));
    const heard = { deliveries: deliveries.map(({ delivery }) => delivery), asked };
    expect(firstTriesOffTime(deliveries, heard)).toHaveLength(count);
  });
});
