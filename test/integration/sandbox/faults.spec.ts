import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type NextCall, PaymentsSandbox } from 'nestjs-payments/sandbox';
import { eventually } from '../../support/eventually.js';
import { BANK_PAYOUT, callerOf, COLLECTION } from '../../support/gateway-caller.js';
import { schemaProblems } from '../../support/gateway-contract.js';
import { rawCall } from '../../support/raw-call.js';
import { startSandbox } from '../../support/sandbox.js';

const COLLECT = 'POST /payments/mobile-money';

describe("the emulator's faults", () => {
  let sandbox: PaymentsSandbox;
  let gateway: ReturnType<typeof callerOf>;

  beforeEach(async () => {
    sandbox = await startSandbox({ clock: 'manual' });
    gateway = callerOf(sandbox);
  });

  afterEach(() => sandbox.stop());

  it('dropBefore closes the connection and processes nothing', async () => {
    sandbox.next(COLLECT).dropBefore();

    await expect(gateway.collect()).rejects.toThrow();
    expect(sandbox.payments()).toEqual([]);
    expect(sandbox.requests()).toMatchObject([{ fault: 'dropBefore', status: null }]);
  });

  it('dropAfterProcessing closes the connection, and the payment is made', async () => {
    sandbox.next(COLLECT).dropAfterProcessing();

    await expect(gateway.collect({}, { key: 'key-1' })).rejects.toThrow();
    expect(sandbox.payments()).toMatchObject([{ reference: 'order-1', status: 'pending' }]);
    expect(await gateway.collect({}, { key: 'key-1' })).toMatchObject({
      body: { code: 'DUPLICATE_REQUEST' },
    });
  });

  it('status answers it, with Retry-After, and processes nothing', async () => {
    sandbox.next(COLLECT).status(429, { retryAfter: 2 });
    const answer = await gateway.collect();

    expect(answer.status).toBe(429);
    expect(answer.headers.get('retry-after')).toBe('2');
    expect(answer.body).toEqual({ message: expect.any(String) as unknown });
    expect(sandbox.payments()).toEqual([]);
  });

  it.each<[what: string, phone: string, options?: { code?: string }]>([
    ['the magic number 0429', '255712340429'],
    ['a fault', COLLECTION.phone, {}],
    ['a fault with a code', COLLECTION.phone, { code: 'TOO_MANY_REQUESTS' }],
  ])('answers 429 as the document of the gateway says (%s)', async (_, phone, options) => {
    if (options) sandbox.next(COLLECT).status(429, options);
    const { status, body } = await gateway.collect({ phone });
    expect(status).toBe(429);
    const schema = '#/components/responses/TooManyRequests/content/application~1json/schema';
    expect(schemaProblems(schema, JSON.stringify(body))).toEqual([]);
  });

  it.each<[status: number, kind: 'status' | 'html', length: string[]]>([
    [204, 'status', []],
    [204, 'html', []],
    [205, 'status', ['content-length: 0']],
    [304, 'status', []],
    [304, 'html', []],
  ])('answers %i as %s without a body, which such an answer cannot have', async (status, kind, length) => {
    sandbox.next('GET /merchant-balance')[kind](status);
    const raw = await rawCall(sandbox, 'GET /merchant-balance');
    const [head = '', body] = raw.split('\r\n\r\n');
    expect([head.split(' ')[1], body]).toEqual([String(status), '']);
    expect(head.split('\r\n').filter((line) => /^(content-(length|type)|transfer)/i.test(line))).toEqual(
      length,
    );
    expect(sandbox.requests()).toMatchObject([{ status, code: null, reason: null, response_body: '' }]);
    expect(Object.keys(sandbox.requests()[0]!.response_headers!)).not.toContain('content-type');
  });

  it.each([NaN, -1, 1.5, Infinity])('status refuses %s as seconds to wait', (retryAfter) => {
    expect(() => sandbox.next(COLLECT).status(429, { retryAfter })).toThrow('whole seconds from 0 on');
  });

  it('status with a code answers shape B', async () => {
    sandbox.next('POST /disbursements/bank').status(502, { code: 'PROVIDER_ERROR' });
    expect(await gateway.payToBank()).toMatchObject({
      status: 502,
      body: { success: false, code: 'PROVIDER_ERROR' },
    });
  });

  it('malformedJson answers half of the JSON, and the payment is made', async () => {
    sandbox.next(COLLECT).malformedJson();

    await expect(gateway.collect()).rejects.toThrow('JSON');
    expect(sandbox.payments()).toHaveLength(1);
  });

  it('html answers a page with that status and processes nothing', async () => {
    sandbox.next(COLLECT).html(502);
    const response = await fetch(`${sandbox.baseUrl}/payments/mobile-money`, { method: 'POST' });

    expect(response.status).toBe(502);
    expect(response.headers.get('content-type')).toContain('text/html');
    expect(sandbox.payments()).toEqual([]);
  });

  it('reset resets the connection, and the payment is made', async () => {
    sandbox.next(COLLECT).reset();

    const error = await gateway.collect().catch((reason: unknown) => reason);
    expect(error).toMatchObject({ cause: { code: 'ECONNRESET' } });
    expect(sandbox.payments()).toHaveLength(1);
    expect(sandbox.requests()).toMatchObject([{ fault: 'reset', status: null, rule: 'fault reset' }]);
  });

  it('partialBody ends in the middle of the body that its head promised', async () => {
    sandbox.next(COLLECT).partialBody();
    const raw = await rawCall(sandbox, 'POST /payments/mobile-money', COLLECTION);

    const promised = Number(/content-length: (\d+)/.exec(raw)?.[1]);
    const body = raw.slice(raw.indexOf('\r\n\r\n') + 4);
    expect(body).toMatch(/^\{"status":"success"/);
    expect(body).toHaveLength(Math.floor(promised / 2));
    expect(sandbox.payments()).toHaveLength(1);
  });

  it('drip sends one byte in each span of the sandbox clock', async () => {
    sandbox.next('GET /merchant-balance').drip(10);
    const response = await fetch(`${sandbox.baseUrl}/merchant-balance`, {
      headers: { authorization: 'Bearer pk_test_demo' },
    });
    const length = Number(response.headers.get('content-length'));
    const text = response.text();
    let whole = false;
    void text.then(() => (whole = true));
    await sandbox.clock.advance((length - 1) * 10);
    expect(whole).toBe(false);
    await sandbox.clock.advance(10);
    expect(JSON.parse(await text)).toMatchObject({ code: 'SUCCESS' });
  });

  it('status and html apply after processing if asked, and the payment is made', async () => {
    sandbox.next(COLLECT).status(503, { afterProcessing: true });
    expect(await gateway.collect()).toMatchObject({ status: 503 });
    sandbox.next(COLLECT).html(504, { afterProcessing: true });
    await expect(gateway.collect({ reference: 'order-2' })).rejects.toThrow('JSON');
    expect(sandbox.payments()).toMatchObject([{ reference: 'order-1' }, { reference: 'order-2' }]);
  });

  it('delay answers when the sandbox clock says so', async () => {
    sandbox.next(COLLECT).delay(3_000);
    let answered = false;
    const answer = gateway.collect().then((value) => {
      answered = true;
      return value;
    });
    await nextExchangeOrPayment(sandbox);
    await sandbox.clock.advance(2_999);
    expect(answered).toBe(false);
    await sandbox.clock.advance(1);

    expect(await answer).toMatchObject({ status: 200, body: { code: 'PAYMENT_INITIATED' } });
  });

  it.each<[string, string, (next: NextCall) => unknown, { readonly status: number; readonly text: RegExp }]>([
    ['delayed', '0500', (next) => next.delay('1s'), { status: 500, text: /^<!doctype html>.*<\/p>\n$/ }],
    ['delayed', '0429', (next) => next.delay('1s'), { status: 429, text: /^\{"message":".+"\}$/ }],
    ['dripped', '0500', (next) => next.drip(0), { status: 500, text: /^<!doctype html>.*<\/p>\n$/ }],
    ['dripped', '0429', (next) => next.drip(0), { status: 429, text: /^\{"message":".+"\}$/ }],
    ['cut', '0500', (next) => next.malformedJson(), { status: 500, text: /^<!doctype html>.*<p>$/ }],
    ['cut', '0429', (next) => next.malformedJson(), { status: 429, text: /^\{"message":".+[^}]$/ }],
  ])('the %s answer of a number that is not processed (%s) moves no money', async (_, ending, plan, sent) => {
    // Unchecked: gateway.yaml describes no answer of a proxy, and that of a delay is checked otherwise.
    await using sandbox = await PaymentsSandbox.start({ clock: 'manual' });
    plan(sandbox.next('POST /disbursements/bank'));
    const response = fetch(`${sandbox.baseUrl}/disbursements/bank`, {
      method: 'POST',
      headers: { authorization: 'Bearer pk_test_demo', 'content-type': 'application/json' },
      body: JSON.stringify({ ...BANK_PAYOUT, account_number: `012345${ending}` }),
    });
    await eventually(() => {
      expect(sandbox.requests()).toHaveLength(1);
    });
    await sandbox.clock.advance('1m');
    const answer = await response;
    const { status, headers } = answer;
    expect(status).toBe(sent.status);
    expect(await answer.text()).toMatch(sent.text);
    expect(headers.get('content-type')).toContain(ending === '0500' ? 'text/html' : 'application/json');
    expect(headers.get('retry-after')).toBe(ending === '0500' ? null : '2');
    expect(sandbox.payouts()).toEqual([]);
    expect(sandbox.requests()).toMatchObject([
      { status: sent.status, rule: expect.stringMatching(/^fault /) as unknown },
    ]);
  });

  it.each<[string, (next: NextCall) => unknown]>([
    ['dropAfterProcessing', (next) => next.dropAfterProcessing()],
    ['reset', (next) => next.reset()],
    ['partialBody', (next) => next.partialBody()],
  ])('%s makes no payment of a number that is not processed', async (_, plan) => {
    plan(sandbox.next(COLLECT));
    await expect(gateway.collect({ phone: '255712340500' })).rejects.toThrow();
    expect(sandbox.payments()).toEqual([]);
  });

  it('a status after processing makes no payment of a number that is not processed', async () => {
    sandbox.next(COLLECT).status(503, { afterProcessing: true });
    expect(await gateway.collect({ phone: '255712340500' })).toMatchObject({ status: 503 });
    expect(sandbox.payments()).toEqual([]);
  });

  it('hang processes and never answers, until the caller gives up', async () => {
    sandbox.next(COLLECT).hang();
    const gone = new AbortController();
    sandbox.on('exchange', () => {
      gone.abort();
    });
    const call = fetch(`${sandbox.baseUrl}/payments/mobile-money`, {
      method: 'POST',
      headers: {
        authorization: 'Bearer pk_test_demo',
        'content-type': 'application/json',
        'idempotency-key': 'key-1',
      },
      body: JSON.stringify(COLLECTION),
      signal: gone.signal,
    });

    await expect(call).rejects.toThrow('aborted');
    expect(sandbox.payments()).toHaveLength(1);
  });

  it('reset ends a call that hangs', async () => {
    sandbox.next(COLLECT).hang();
    const call = gateway.collect();
    await nextExchangeOrPayment(sandbox);
    await sandbox.reset();

    await expect(call).rejects.toThrow();
  });

  it.each<[string, (call: NextCall) => unknown]>([
    ['behind the fault', (call) => call.status(500).times(2)],
    ['before it', (call) => call.times(2).status(500)],
    ['the last of several', (call) => call.times(5).times(3).status(500).times(2)],
  ])('times(n) spoils n calls, and the next one is well: %s', async (_, plan) => {
    plan(sandbox.next(COLLECT));

    const statuses = [await gateway.collect(), await gateway.collect(), await gateway.collect()];
    expect(statuses.map(({ status }) => status)).toEqual([500, 500, 200]);
  });

  it('strike in the order in which they were planned, each its own operation alone', async () => {
    sandbox.next(COLLECT).status(500);
    sandbox.next(COLLECT).status(503);
    sandbox.next('GET /merchant-balance').status(418);

    expect(await gateway.payToBank()).toMatchObject({ status: 200 });
    expect(await gateway.collect()).toMatchObject({ status: 500 });
    expect(await gateway.get('/merchant-balance')).toMatchObject({ status: 418 });
    expect(await gateway.collect()).toMatchObject({ status: 503 });
  });

  it('strike the named reference and merchant alone', async () => {
    sandbox.next(COLLECT, { reference: 'order-2' }).status(500);
    sandbox.next(COLLECT, { merchant: 'other' }).status(503);

    expect(await gateway.collect()).toMatchObject({ status: 200 });
    expect(await gateway.collect({ reference: 'order-2' })).toMatchObject({ status: 500 });
    expect(await gateway.collect({}, { merchant: 'other' })).toMatchObject({ status: 503 });
    expect(await gateway.collect({}, { merchant: 'other' })).toMatchObject({ status: 200 });
  });

  it('probability strikes by chance, the same calls for the same seed', async () => {
    const strikes = async (seed: number): Promise<readonly number[]> => {
      const other = await startSandbox({ clock: 'manual', seed });
      other.next('GET /merchant-balance').status(503).probability(0.3);
      const statuses: number[] = [];
      for (let call = 0; call < 40; call += 1) {
        statuses.push((await callerOf(other).get('/merchant-balance')).status);
      }
      return statuses;
    };
    const [first, again, another] = [await strikes(1), await strikes(1), await strikes(2)];

    expect(again).toEqual(first);
    expect(another).not.toEqual(first);
    const struck = first.filter((status) => status === 503).length;
    expect(struck).toBeGreaterThan(4);
    expect(struck).toBeLessThan(24);
  });

  it('probability strikes one merchant alike, whatever the others call', async () => {
    const strikes = async (others: number): Promise<readonly number[]> => {
      const shop = await startSandbox({ clock: 'manual', seed: 7 });
      shop.next('GET /merchant-balance').status(503).probability(0.5);
      const statuses: number[] = [];
      for (let call = 0; call < 12; call += 1) {
        for (let other = 0; other < others; other += 1)
          await callerOf(shop).get('/merchant-balance', { merchant: 'other' });
        statuses.push((await callerOf(shop).get('/merchant-balance')).status);
      }
      return statuses;
    };
    expect(await strikes(1)).toEqual(await strikes(0));
  });

  it('apply to a call with wrong keys too, unless they name a merchant', async () => {
    const wrong = { headers: { 'x-api-secret': 'wrong' } };
    sandbox.next('POST /payments/mobile-money', { merchant: 'demo' }).status(503);
    expect(await gateway.collect({}, wrong)).toMatchObject({ status: 401 });
    sandbox.next('POST /payments/mobile-money').status(502);
    expect(await gateway.collect({}, wrong)).toMatchObject({ status: 502 });
    expect(await gateway.collect()).toMatchObject({ status: 503 });
  });

  it('times(n) without a fault plans nothing', async () => {
    sandbox.next(COLLECT).times(2);
    expect(await gateway.collect()).toMatchObject({ status: 200 });
  });

  it('times(n) before a fault keeps to the calls that were chosen', async () => {
    sandbox.next(COLLECT, { reference: 'order-2' }).times(2).status(500);
    expect(await gateway.collect()).toMatchObject({ status: 200 });
    expect(await gateway.collect({ reference: 'order-2' })).toMatchObject({ status: 500 });
  });

  it.each<[string, (call: NextCall) => unknown]>([
    ['behind the chance', (call) => call.status(503).probability(1).times(2)],
    ['before the fault', (call) => call.times(2).status(503).probability(1)],
  ])('probability stops after times(n) strikes: %s', async (_, plan) => {
    plan(sandbox.next('GET /merchant-balance'));
    const answers = [1, 2, 3].map(() => gateway.get('/merchant-balance'));
    const statuses = (await Promise.all(answers)).map(({ status }) => status);
    expect(statuses.sort()).toEqual([200, 503, 503]);
  });

  it.each([-0.1, 1.1, NaN])('refuse probability(%d)', (chance) => {
    expect(() => sandbox.next(COLLECT).hang().probability(chance)).toThrow('from 0 to 1');
  });

  it.each([0, 1.5, -1, 2 ** 53, Number.MAX_VALUE, Infinity])('refuse times(%d)', (calls) => {
    const refusal = 'from 1 to 9007199254740991';
    expect(() => sandbox.next(COLLECT).hang().times(calls)).toThrow(refusal);
    expect(() => sandbox.next(COLLECT).times(calls)).toThrow(refusal);
  });

  it('refuse an operation that they would never strike', () => {
    expect(() => sandbox.next('POST /api/v1/payments/mobile-money' as typeof COLLECT)).toThrow(
      'no operation "POST /api/v1/payments/mobile-money": write one of POST /payments/mobile-money,',
    );
  });

  it('refuse a status that HTTP cannot answer', () => {
    expect(() => sandbox.next(COLLECT).status(99)).toThrow('from 200 to 599');
    expect(() => sandbox.next(COLLECT).html(600)).toThrow('from 200 to 599');
  });
});

function nextExchangeOrPayment(sandbox: PaymentsSandbox): Promise<void> {
  return new Promise((resolve) => {
    for (const topic of ['exchange', 'payment'] as const) {
      sandbox.on(topic, () => {
        resolve();
      });
    }
  });
}
