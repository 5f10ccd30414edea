import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { paymentEvent } from '../../../../lib/testing/payment-event.js';
import { hostWebhook, receiveFromHost } from '../../../../lib/webhooks/delivery/host-webhook.js';
import { type WebhookAnswer } from '../../../../lib/webhooks/delivery/webhook-answer.js';
import { type WebhookReceiver } from '../../../../lib/webhooks/delivery/webhook-receiver.js';

const JSON_TYPE = 'application/json; charset=utf-8';
const webhook = hostWebhook(
  Buffer.from(JSON.stringify(paymentEvent('payment.success', { reference: 'order-1' }))),
  { 'content-type': 'application/json' },
  {},
);

it.each<[answer: WebhookAnswer, headers: Record<string, string>, body: object | undefined]>([
  [{ status: 200 }, {}, undefined],
  [{ status: 500 }, { 'content-type': JSON_TYPE }, { statusCode: 500, error: 'Internal Server Error' }],
  [
    { status: 503, retryAfterSeconds: 7 },
    { 'content-type': JSON_TYPE, 'retry-after': '7' },
    { statusCode: 503, error: 'Service Unavailable' },
  ],
])('a host answers %j as a route of the package does', async (answer, headers, body) => {
  const receiver = {
    scope: { account: 'default', environment: 'sandbox' },
    limits: { bodyLimit: 65_536 },
    signatures: { verdictOn: () => ({ ok: true }) },
    receive: () => Promise.resolve(answer),
  } as unknown as WebhookReceiver;
  const given = await receiveFromHost(receiver, webhook);
  expect(given).toMatchObject({ status: answer.status, headers });
  expect(Object.keys(given.headers)).toEqual(Object.keys(headers));
  if (body) expect(JSON.parse(given.body)).toMatchObject(body);
  else expect(given.body).toBe('');
});

it('what a host hands on has the hash of its bytes', async () => {
  const hashes: string[] = [];
  const receiver = {
    scope: { account: 'default', environment: 'sandbox' },
    limits: { bodyLimit: 65_536 },
    signatures: { verdictOn: () => ({ ok: true }) },
    receive: ({ bodyHash }: { readonly bodyHash: () => string }) => {
      hashes.push(bodyHash());
      return Promise.resolve({ status: 200 });
    },
  } as unknown as WebhookReceiver;
  await receiveFromHost(receiver, webhook);
  expect(hashes).toEqual([createHash('sha256').update(webhook.body).digest('hex')]);
});
