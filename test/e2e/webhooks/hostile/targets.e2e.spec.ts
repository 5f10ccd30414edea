import { afterAll, beforeAll, describe, it } from 'vitest';
import { paymentEvent } from 'nestjs-payments/testing';
import { type ExpectedStatus, HostileApp, signedLines } from '../../../support/hostile-app.js';
import { adapters } from '../../../support/webhook-app.js';

/** Targets of a POST: what a delivery with a right signature is answered. The router decides; nothing of it is verified less. */
const TARGETS: readonly (readonly [target: string, expected: ExpectedStatus])[] = [
  ['/webhooks/payments', 200],
  ['/webhooks/payments?', 200],
  ['/webhooks/payments?from=/webhooks/other', 200],
  ['/webhooks/payments?a[__proto__][x]=1', 200],
  ['/webhooks/payments?%', 200],
  ['http://shop.test/webhooks/payments', 200],
  ['http://shop.test:80/webhooks/payments?x', 200],
  ['https://else.where/webhooks/payments', 200],
  ['/webhooks/payments#there', 200],
  ['/WEBHOOKS/Payments', { express: 200, fastify: 404 }],
  ['/webhooks/payments/', { express: 200, fastify: 404 }],
  ['/webhooks/%70ayments', { express: 404, fastify: 200 }],
  ['/%77ebhooks/payments', { express: 404, fastify: 200 }],
  ['/webhooks%2fpayments', 404],
  ['/webhooks/payments%2f', 404],
  ['/webhooks/payments%00', 404],
  ['/webhooks/payments%20', 404],
  ['/webhooks/payments;v=1', 404],
  ['/webhooks/payments//', 404],
  ['/webhooks//payments', 404],
  ['//webhooks/payments', 404],
  ['/webhooks/./payments', 404],
  ['/x/../webhooks/payments', 404],
  ['/webhooks\\payments', 404],
  ['/webhooks/payments/../payments', 404],
  ['/webhooks', 404],
  ['/', 404],
  ['webhooks/payments', 400],
];

const METHODS: readonly (readonly [method: string, expected: ExpectedStatus])[] = [
  ['GET', 404],
  ['HEAD', 404],
  ['PUT', 404],
  ['PATCH', 404],
  ['DELETE', 404],
  ['PROPFIND', 404],
  ['TRACE', 404],
  ['POKE', 400],
  ['post', 400],
];

const event = (): Buffer => Buffer.from(JSON.stringify(paymentEvent('payment.success')));

describe.each(adapters)('a webhook route on %s', (adapter) => {
  const app = new HostileApp(adapter);
  beforeAll(() => app.start());
  afterAll(() => app.stop());

  it.each(TARGETS)('verifies what it takes under %s', async (target, expected) => {
    const body = event();
    await app.expectStatus({ target, lines: signedLines(body), body }, expected);
    const status = typeof expected === 'number' ? expected : expected[adapter];
    await app.expectStatus(
      { target, lines: signedLines(body).slice(0, 1), body },
      status === 200 ? 401 : status,
    );
  });

  it.each(METHODS)('takes no delivery by %s', async (method, expected) => {
    const body = event();
    await app.expectStatus({ method, lines: signedLines(body), body }, expected);
  });

  it('takes no other method from a header or from the query', async () => {
    const body = event();
    const lines = [...signedLines(body), ['X-HTTP-Method-Override', 'POST'] as const];
    await app.expectStatus({ method: 'PUT', target: '/webhooks/payments?_method=POST', lines, body }, 404);
  });
});

/** What Fastify answers to these depends on its version. */
describe('a webhook route on express', () => {
  const app = new HostileApp('express');
  beforeAll(() => app.start());
  afterAll(() => app.stop());

  it.each(['http://[/webhooks/payments', 'http://[::1/webhooks/payments?x'])(
    'is not found under %s, which no URL parser takes',
    async (target) => {
      const body = event();
      await app.expectStatus({ target, lines: signedLines(body), body }, 404);
    },
  );
});
