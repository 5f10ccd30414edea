import { beforeEach, describe, expect, it } from 'vitest';
import { type PaymentsSandbox, type SandboxRequest } from 'nestjs-payments/sandbox';
import { controlOf } from '../../../support/control-caller.js';
import { listenTo } from '../../../support/event-stream.js';
import { callerOf, COLLECTION } from '../../../support/gateway-caller.js';
import { profileWith } from '../../../support/gateway-profiles.js';
import { startSandbox } from '../../../support/sandbox.js';
import { startReceiver } from '../../../support/webhook-receiver.js';

describe('the recorded requests', () => {
  let sandbox: PaymentsSandbox;
  let control: ReturnType<typeof controlOf>;
  let gateway: ReturnType<typeof callerOf>;

  beforeEach(async () => {
    sandbox = await startSandbox({ clock: 'manual', seed: 1 });
    control = controlOf(sandbox);
    gateway = callerOf(sandbox);
  });

  const newest = async () => {
    const { body } = await control.get<{ items: SandboxRequest[] }>('/requests?limit=1');
    return body.items[0]!;
  };

  it('hold the answer as the caller got it', async () => {
    const answer = await gateway.collect();
    const request = await newest();
    expect(request).toMatchObject({
      merchant: 'demo',
      reference: 'order-1',
      status: 200,
      code: 'PAYMENT_INITIATED',
      reason: null,
    });
    expect(JSON.parse(request.response_body!)).toEqual(answer.body);
    const received = Object.fromEntries(answer.headers);
    for (const [name, value] of Object.entries(request.response_headers!)) {
      expect([name, received[name]]).toEqual([name, value]);
    }
    expect(Object.keys(request.response_headers!)).toEqual(
      expect.arrayContaining(['content-type', 'content-length', 'x-sandbox-rule', 'date']),
    );
    expect(Number.isInteger(request.duration_ms)).toBe(true);
    expect((await control.get(`/requests/${request.id}`)).body).toEqual(request);
    expect(sandbox.requests()).toEqual([request]);
  });

  it('hold the beginning of a body that would push out all others, and no listener is dropped', async () => {
    const stream = await listenTo(`${sandbox.url}/_sandbox/v1/events`);
    await gateway.collect();
    const body = '\u0001'.repeat(1_048_000);
    await fetch(`${sandbox.baseUrl}/payments/mobile-money`, { method: 'POST', body });
    await gateway.collect({ reference: 'order-2' });

    const [first, large, last] = sandbox.requests();
    expect([first?.reference, last?.reference]).toEqual(['order-1', 'order-2']);
    expect(large?.body).toMatch(/… \(cut by the emulator: it had 1048000 bytes\)$/);
    expect(Buffer.byteLength(JSON.stringify(large))).toBeLessThan(70_000);
    for (const { id } of [first!, large!, last!]) {
      expect((await stream.until('request')).at(-1)?.data).toMatchObject({ id });
    }
    stream.close();
  });

  it('hold why a call was refused', async () => {
    await gateway.collect();
    await gateway.collect();
    expect(await newest()).toMatchObject({
      status: 409,
      code: 'DUPLICATE_REFERENCE',
      reason: 'This reference already exists.',
    });
    await gateway.collect({ amount: 'much', phone: undefined });
    expect((await newest()).reason).toMatch(/^The phone field is required\. The amount must be .+\.$/);
  });

  it.each([
    ['dropBefore', null],
    ['dropAfterProcessing', null],
    ['reset', null],
    ['partialBody', /^\{"status":"success".*[^}]$/],
    ['malformedJson', /^\{"status":"success".*[^}]$/],
  ] as const)('hold what left the emulator after the fault %s', async (fault, left) => {
    sandbox.next('POST /payments/mobile-money')[fault]();
    await gateway.collect().catch(() => undefined);
    const request = await newest();
    expect(request).toMatchObject({ fault, duration_ms: expect.any(Number) as number, reason: null });
    if (left === null)
      expect(request).toMatchObject({
        status: null,
        code: null,
        response_headers: null,
        response_body: null,
      });
    else expect(request.response_body).toMatch(left);
  });

  it('went wrong under a status of success too, if they were refused or a fault spoiled their answer', async () => {
    const observed = await startSandbox({ profile: profileWith({ 'status of INVALID_BANK': 200 }) });
    const call = callerOf(observed);
    const plan = () => observed.next('GET /merchant-balance');
    await call.payToBank({ bank_code: 'NONE' });
    for (const fault of ['malformedJson', 'partialBody', 'html', 'status', 'delay', 'drip'] as const) {
      if (fault === 'html' || fault === 'status') plan()[fault](201);
      else if (fault === 'delay' || fault === 'drip') plan()[fault](0);
      else plan()[fault]();
      await call.get('/merchant-balance').catch(() => undefined);
    }
    await call.get('/merchant-balance');
    const listed = async (failed: boolean) => {
      const answer = await controlOf(observed).get<{ items: SandboxRequest[] }>(`/requests?failed=${failed}`);
      return answer.body.items.map(({ code, fault }) => fault ?? code);
    };
    expect(await listed(true)).toEqual(['INVALID_BANK', 'malformedJson', 'partialBody', 'html', 'status']);
    expect(await listed(false)).toEqual(['delay', 'drip', 'SUCCESS']);
  });

  it('mask what is secret in a request', async () => {
    await gateway.get('/merchant-balance', {
      headers: { cookie: 'session=1', 'proxy-authorization': 'Basic a' },
    });
    const text = JSON.stringify(await newest());
    expect(text).not.toMatch(/session=1|Basic a|k_test_demo/);
  });

  it('lead to the payment and its webhooks, and these lead back', async () => {
    const receiver = await startReceiver();
    sandbox.deliverTo(receiver.url);
    await gateway.collect();
    await gateway.collect({ reference: 'order-2' });
    await sandbox.customer(COLLECTION.phone).approve('order-1');
    const { body } = await control.get<{ timeline: { what: string; id: string | null }[] }>(
      '/payments/order-1',
    );
    const idOf = (what: string) => body.timeline.find((entry) => entry.what === what)!.id;
    expect((await control.get(`/requests/${idOf('request')!}`)).body).toMatchObject({ reference: 'order-1' });
    expect((await control.get(`/deliveries/${idOf('delivery')!}`)).body).toMatchObject({
      reference: 'order-1',
    });
    expect(idOf('payment')).toBeNull();
    const list = await control.get<{ items: SandboxRequest[] }>('/requests?reference=order-1');
    expect(list.body.items.map(({ id }) => id)).toEqual([idOf('request')]);
    await receiver.close();
  });

  it('are not found under an id that none has', async () => {
    expect((await control.get('/requests/none')).body).toEqual({
      error: {
        code: 'NOT_FOUND',
        message: 'There is no request none, or it was dropped: GET /requests lists them.',
      },
    });
  });
});
