import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type PaymentsSandbox } from 'nestjs-payments/sandbox';
import { controlDocument, documentedOperation } from '../../../support/control-contract.js';
import { controlOf } from '../../../support/control-caller.js';
import { callerOf } from '../../../support/gateway-caller.js';
import { startSandbox } from '../../../support/sandbox.js';
import { startReceiver, type WebhookReceiver } from '../../../support/webhook-receiver.js';

const operations = Object.entries(controlDocument.paths).flatMap(([path, methods]) =>
  Object.keys(methods).map((method) => ({ method: method.toUpperCase(), path })),
);

/** A call of every operation that goes well, in an order in which it does. `{id}`: the newest delivery's. */
const STORY: readonly (readonly [call: string, body?: object])[] = [
  ['GET /health'],
  ['GET /info'],
  ['GET /openapi.json'],
  ['GET /payments?status=pending&limit=2'],
  ['GET /payments/order-1?merchant=demo'],
  ['POST /payments/order-1/approve', {}],
  ['POST /payments/order-2/decline', { merchant: 'demo', reason: 'not enough money' }],
  ['POST /payments/order-3/cancel', {}],
  ['POST /payments/order-4/expire', {}],
  ['GET /payouts?kind=bank'],
  ['GET /payouts/salary-1'],
  ['POST /payouts/salary-1/pay', {}],
  ['POST /payouts/salary-2/fail', {}],
  ['POST /payouts/refund-1/cancel', {}],
  ['GET /balance'],
  ['PUT /balance', { available: '250000.00' }],
  ['POST /balance/top-up', { amount: '1.50', merchant: 'demo' }],
  ['GET /statement?merchant=demo&from=2026-01-01T00:00:00Z&to=2026-02-01T00:00:00%2B03:00'],
  ['GET /scenarios'],
  ['GET /banks'],
  ['PUT /banks', { items: [{ id: 9, name: 'Kilima Bank', code: 'KLB' }] }],
  ['GET /directory?merchant=demo'],
  ['PUT /directory', { items: [{ account_number: '0123456789', account_name: null }] }],
  ['PUT /webhooks/address', { url: 'http://127.0.0.1:9/hook', merchant: 'other' }],
  ['POST /webhooks/secret', { endpoint: 'default-other' }],
  ['GET /webhooks/endpoints'],
  ['POST /webhooks/endpoints', { url: 'http://127.0.0.1:9/hook', events: ['payment.failed'] }],
  ['GET /webhooks/endpoints/endpoint-1'],
  ['PATCH /webhooks/endpoints/endpoint-1', { enabled: false, events: null }],
  ['POST /webhooks/endpoints/endpoint-1/rotate', { overlap: '1h' }],
  ['DELETE /webhooks/endpoints/endpoint-1'],
  ['POST /webhooks/trigger', { event: 'payment.success', data: { reference: 'order-9' } }],
  ['GET /deliveries?state=delivered&limit=3'],
  ['GET /deliveries/{id}'],
  ['POST /deliveries/{id}/replay', { mode: 'identical' }],
  ['POST /faults', { operation: 'GET /merchant-balance', kind: 'delay', duration: '2s', probability: 0.5 }],
  ['GET /faults'],
  ['DELETE /faults/1'],
  ['GET /clock'],
  ['POST /clock/advance', { by: '15m' }],
  ['POST /clock/freeze', { frozen: true }],
  ['GET /requests?method=POST'],
  ['GET /requests/1'],
  ['POST /reset', { merchant: 'demo' }],
];

describe('the document of the control API', () => {
  let sandbox: PaymentsSandbox;
  let receiver: WebhookReceiver;
  let control: ReturnType<typeof controlOf>;

  beforeEach(async () => {
    receiver = await startReceiver();
    sandbox = await startSandbox({ clock: 'manual' });
    sandbox.deliverTo(receiver.url);
    control = controlOf(sandbox);
    const gateway = callerOf(sandbox);
    for (const reference of ['order-1', 'order-2', 'order-3', 'order-4'])
      await gateway.collect({ reference });
    for (const reference of ['salary-1', 'salary-2']) await gateway.payToBank({ reference });
    await gateway.payToPhone();
  });

  afterEach(() => receiver.close());

  it('lists exactly the operations that this story uses, and the stream', () => {
    const told = STORY.map(([call]) => {
      const [method = '', path = ''] = call.split(' ');
      return documentedOperation(method, path)?.operationId;
    });
    const documented = Object.values(controlDocument.paths).flatMap((methods) =>
      Object.values(methods).map(({ operationId }) => operationId),
    );
    expect([...told, 'streamEvents'].sort()).toEqual(documented.sort());
  });

  it('describes every answer of the story', async () => {
    for (const [call, body] of STORY) {
      const id = sandbox.deliveries().at(-1)?.id ?? '';
      const [method = '', path = ''] = call.replace('{id}', id).split(' ');
      expect([call, (await send(control, method, path, body)).status]).toEqual([
        call,
        call === 'POST /faults' || call === 'POST /webhooks/endpoints' ? 201 : 200,
      ]);
    }
  });

  it('is served as it is written', async () => {
    expect((await control.get('/openapi.json')).body).toEqual(controlDocument);
  });

  it.each(operations)('is obeyed by $method $path: other methods are refused', async ({ path }) => {
    const known = Object.keys(controlDocument.paths[path]!).map((method) => method.toUpperCase());
    const others = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].filter((method) => !known.includes(method));
    for (const method of others) {
      const answer = await send(control, method, path.replaceAll(/\{\w+\}/g, 'x'), undefined);
      expect(answer).toMatchObject({
        status: 405,
        body: { error: { message: expect.stringContaining(known.join(' or ')) as unknown } },
      });
    }
  });

  it('has no answer for a path that is not in it', async () => {
    for (const path of ['/nothing', '/payments/a/b/c', '/openapi-json', '/payments/']) {
      expect((await control.get(path)).status).toBe(404);
    }
  });
});

function send(control: ReturnType<typeof controlOf>, method: string, path: string, body: object | undefined) {
  switch (method) {
    case 'POST':
      return control.post(path, body);
    case 'PUT':
      return control.put(path, body);
    case 'PATCH':
      return control.patch(path, body);
    case 'DELETE':
      return control.remove(path);
    default:
      return control.get(path);
  }
}
