import { request } from 'node:http';
import { beforeEach, describe, expect, it } from 'vitest';
import { type PaymentsSandbox } from 'nestjs-payments/sandbox';
import { callerOf } from '../../../support/gateway-caller.js';
import { startSandbox } from '../../../support/sandbox.js';

const JSON_HEADERS = { 'content-type': 'application/json' };

describe("the emulator's control API", () => {
  let sandbox: PaymentsSandbox;
  let control: string;
  let gateway: ReturnType<typeof callerOf>;

  beforeEach(async () => {
    sandbox = await startSandbox({ clock: 'manual', seed: 5 });
    control = `${sandbox.url}/_sandbox/v1`;
    gateway = callerOf(sandbox);
  });

  const read = async (resource: string): Promise<unknown> => (await fetch(`${control}/${resource}`)).json();
  const decide = (resource: string, body = '{}', headers: Record<string, string> = JSON_HEADERS) =>
    fetch(`${control}/${resource}`, { method: 'POST', headers, body });

  it('lists what the handle lists', async () => {
    await gateway.collect();
    await gateway.payToPhone();
    await sandbox.customer('255712345678').approve('order-1');

    expect(await read('payments')).toMatchObject({ items: sandbox.payments() });
    expect(await read('payouts')).toMatchObject({ items: sandbox.payouts() });
    expect(await read('deliveries')).toMatchObject({ items: sandbox.deliveries() });
    expect(await read('balance')).toMatchObject({ items: [sandbox.balance()] });
  });

  it('describes itself without a secret', async () => {
    sandbox.deliverTo('http://localhost:3000/hook');
    const info = await read('info');

    expect(info).toEqual({
      base_url: sandbox.baseUrl,
      api_key: 'pk_test_demo',
      api_secret: 'sk_test_demo',
      webhook_url: 'http://localhost:3000/hook',
      clock: 'manual',
      now: '2026-01-01T09:00:00.000Z',
      seed: 5,
      auto: false,
      profile: 'documented',
      merchants: [],
    });
    expect(JSON.stringify(info)).not.toContain(sandbox.webhookSecret);
  });

  it.each([
    ['approve', 'success'],
    ['decline', 'failed'],
    ['cancel', 'cancelled'],
    ['expire', 'expired'],
  ])('lets %s end a payment as %s', async (action, status) => {
    await gateway.collect({ reference: 'a/b c' });
    const response = await decide(`payments/${encodeURIComponent('a/b c')}/${action}`);

    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({ reference: 'a/b c', status });
  });

  it.each([
    ['pay', 'paid'],
    ['fail', 'failed'],
    ['cancel', 'cancelled'],
  ])('lets %s end a payout as %s', async (action, status) => {
    await gateway.payToBank();
    expect(await (await decide(`payouts/salary-1/${action}`)).json()).toMatchObject({ status });
  });

  it.each(['.', '..'])('reads and ends a payment and a payout whose reference is %s', async (reference) => {
    await gateway.collect({ reference });
    await gateway.payToBank({ reference });
    for (const [list, action] of [
      ['payments', 'approve'],
      ['payouts', 'pay'],
    ] as const) {
      const read = await fetch(`${control}/${list}/-?reference=${reference}&merchant=demo`);
      expect(await read.json()).toMatchObject({ reference, timeline: expect.any(Array) as unknown });
      const ended = await decide(`${list}/-/${action}?reference=${reference}`);
      expect(await ended.json()).toMatchObject({ reference, settled_at: expect.any(String) as unknown });
    }
  });

  it('tells a reference of the path from one of the query', async () => {
    await gateway.collect({ reference: '-' });
    await gateway.collect();
    const both = await decide('payments/order-1/approve?reference=-');
    expect([both.status, await both.json()]).toMatchObject([400, { error: { code: 'BAD_REFERENCE' } }]);
    expect((await decide('payments/-/approve?reference=')).status).toBe(404);
    const encoded = await fetch(`${control}/payments/%2D?reference=order-1`);
    expect(await encoded.json()).toMatchObject({ reference: 'order-1' });
    const twice = await decide('payments/-/approve?reference=order-1&reference=-');
    expect([twice.status, await twice.json()]).toEqual([
      400,
      { error: { code: 'BAD_FILTER', message: 'The query names `reference` twice: write it once.' } },
    ]);
    expect(await (await decide('payments/-/approve')).json()).toMatchObject({ reference: '-' });
    const listed = await fetch(`${control}/deliveries?reference=-`);
    expect(await listed.json()).toMatchObject({ found: 1 });
  });

  it('needs the merchant only if several have the reference', async () => {
    await gateway.collect();
    await gateway.collect({}, { merchant: 'other' });

    expect((await decide('payments/order-1/approve')).status).toBe(409);
    expect((await decide('payments/order-1/approve', '{"merchant":"other"}')).status).toBe(200);
    expect(sandbox.payments()).toMatchObject([{ status: 'pending' }, { status: 'success' }]);
  });

  it('answers errors as JSON that says what is wrong', async () => {
    await gateway.collect();
    await decide('payments/order-1/decline');

    expect((await decide('payments/order-1/approve')).status).toBe(409);
    expect((await decide('payments/nobody/approve')).status).toBe(404);
    expect((await decide('payments/order-1/explode')).status).toBe(404);
    expect((await decide('payments/%E0%A4%A/approve')).status).toBe(400);
    expect((await decide('payments/order-1/approve', '[]')).status).toBe(400);
    expect((await decide('payments/order-1/approve', '{}', { 'content-type': 'text/plain' })).status).toBe(
      415,
    );
    const unknown = await fetch(`${control}/nothing`);
    expect(unknown.status).toBe(404);
    expect(await unknown.json()).toEqual({
      error: { code: 'NOT_FOUND', message: expect.any(String) as unknown },
    });
  });

  it('takes a body of a mebibyte at most', async () => {
    const large = JSON.stringify({ merchant: 'x'.repeat(1_048_576) });
    const answer = await decide('reset', large);
    expect(answer.status).toBe(413);
    expect(await answer.json()).toEqual({
      error: { code: 'TOO_LARGE', message: 'The body is larger than 1048576 bytes.' },
    });
  });

  it('refuses another origin and a host name that is not this machine', async () => {
    const foreign = await decide('payments/order-1/approve', '{}', {
      ...JSON_HEADERS,
      origin: 'https://evil.example',
    });
    const neighbour = await decide('payments/order-1/approve', '{}', {
      ...JSON_HEADERS,
      origin: 'http://127.0.0.1:1',
    });

    expect([foreign.status, neighbour.status]).toEqual([403, 403]);
    expect(await statusWithHost(`${control}/info`, 'evil.example')).toBe(403);
    expect(await statusWithHost(`${sandbox.url}/`, 'evil.example')).toBe(403);
    expect(await statusWithHost(`${control}/info`, `localhost:${new URL(control).port}`)).toBe(200);
  });

  it('answers 400 to a body of 50,000 levels', async () => {
    const body = `{"by":${'['.repeat(50_000)}${']'.repeat(50_000)}}`;
    const response = await fetch(`${control}/clock/advance`, { method: 'POST', headers: JSON_HEADERS, body });
    expect(response.status).toBe(400);
  });

  it('lets its own page in', async () => {
    await gateway.collect();
    const response = await decide('payments/order-1/approve', '{}', { ...JSON_HEADERS, origin: sandbox.url });
    expect(response.status).toBe(200);
  });

  it.each([
    ['/', 'text/html'],
    ['/page.css', 'text/css'],
    ['/ledger.css', 'text/css'],
    ['/page.js', 'text/javascript'],
    ['/swahili.js', 'text/javascript'],
  ])('serves %s with a strict Content-Security-Policy', async (path, type) => {
    const response = await fetch(sandbox.url + path);

    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toContain(type);
    expect(response.headers.get('content-security-policy')).toContain(
      "default-src 'none'; script-src 'self'",
    );
    expect((await response.text()).length).toBeGreaterThan(100);
  });

  it.each(['/_sandbox', '/_sandbox/v1', '/_sandbox/v1/', '/_sandbox/v1/nothing'])(
    'has no call at %s, and says so in its own form',
    async (path) => {
      const response = await fetch(`${sandbox.url}${path}`);
      const body = (await response.json()) as { readonly error: { readonly code: string } };
      expect([response.status, body.error.code]).toEqual([404, 'NOT_FOUND']);
    },
  );

  it('serves nothing else', async () => {
    expect((await fetch(`${sandbox.url}/package.json`)).status).toBe(404);
    expect((await fetch(`${sandbox.url}/constructor`)).status).toBe(404);
    expect((await fetch(`${sandbox.url}/`, { method: 'POST' })).status).toBe(404);
  });
});

/** fetch sets Host by itself. */
function statusWithHost(url: string, host: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    request(url, { headers: { host } }, (response) => {
      response.resume();
      resolve(response.statusCode);
    })
      .on('error', reject)
      .end();
  });
}
