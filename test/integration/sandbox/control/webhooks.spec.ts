import { createHmac } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type PaymentsSandbox, type SandboxDelivery } from 'nestjs-payments/sandbox';
import { controlOf, type ControlErrorBody } from '../../../support/control-caller.js';
import { eventually } from '../../../support/eventually.js';
import { callerOf, COLLECTION } from '../../../support/gateway-caller.js';
import { startSandbox } from '../../../support/sandbox.js';
import {
  type ReceivedWebhook,
  startReceiver,
  type WebhookReceiver,
} from '../../../support/webhook-receiver.js';

const { phone } = COLLECTION;
const SECRET = 'a-secret-of-the-shop-1';

/** What is read here of an endpoint. */
interface Endpoint {
  readonly id: string;
  readonly secrets: readonly { readonly secret: string }[];
}

describe("the control API's webhooks", () => {
  let sandbox: PaymentsSandbox;
  let control: ReturnType<typeof controlOf>;
  let gateway: ReturnType<typeof callerOf>;
  let one: WebhookReceiver;
  let two: WebhookReceiver;

  beforeEach(async () => {
    [one, two] = await Promise.all([startReceiver(), startReceiver()]);
    sandbox = await startSandbox({ clock: 'manual', seed: 4 });
    control = controlOf(sandbox);
    gateway = callerOf(sandbox);
  });

  afterEach(async () => {
    await sandbox.stop();
    await Promise.all([one.close(), two.close()]);
  });

  const add = async (fields: object) => (await control.post<Endpoint>('/webhooks/endpoints', fields)).body;
  const approve = async (reference: string) => {
    await gateway.collect({ reference });
    await sandbox.customer(phone).approve(reference);
  };

  it('go to an address that is set, signed with the secret that the application knows', async () => {
    const { body } = await control.put<Endpoint>('/webhooks/address', { url: one.url });
    expect(body).toMatchObject({ id: 'default', url: one.url });
    expect(body.secrets[0]!.secret).not.toContain(sandbox.webhookSecret);
    await approve('order-1');
    expect(one.received).toHaveLength(1);
    const revealed = await control.post('/webhooks/secret');
    expect(revealed.body).toEqual({ endpoint: 'default', secret: sandbox.webhookSecret });
  });

  it('keep secrets, overlap and events of an address that is set again, after two rotations too', async () => {
    sandbox.deliverTo(one.url);
    await control.post('/webhooks/endpoints/default/rotate', { overlap: '1h' });
    await control.post('/webhooks/endpoints/default/rotate', { overlap: '1h' });
    const { body: before } = await control.patch('/webhooks/endpoints/default', {
      events: ['payment.failed'],
    });
    sandbox.deliverTo(one.url);
    expect((await control.get('/webhooks/endpoints/default')).body).toEqual(before);
    expect((await control.put('/webhooks/address', { url: one.url })).body).toEqual(before);
  });

  it('go to an address that is set again, also if somebody turned it off', async () => {
    sandbox.deliverTo(one.url);
    await control.patch('/webhooks/endpoints/default', { enabled: false });
    const { body } = await control.put('/webhooks/address', { url: one.url });
    expect(body).toMatchObject({ enabled: true });
    await approve('order-1');
    expect(one.received).toHaveLength(1);
  });

  it('show the secret of an endpoint when somebody asks for it, and that of no address at all', async () => {
    expect((await control.post('/webhooks/secret')).body).toMatchObject({ secret: sandbox.webhookSecret });
    const { id } = await add({ url: one.url, secret: SECRET });
    expect((await control.post('/webhooks/secret', { endpoint: id })).body).toEqual({
      endpoint: id,
      secret: SECRET,
    });
    expect((await control.post('/webhooks/secret', { endpoint: 'none' })).status).toBe(404);
  });

  it('go to every endpoint of a merchant, each signed with its own secret', async () => {
    const first = await add({ url: one.url, merchant: 'demo' });
    await add({ url: two.url, merchant: 'demo', secret: SECRET });
    await approve('order-1');

    expect(isSignedWith(one.received[0]!, first.secrets[0]!.secret)).toBe(true);
    expect(isSignedWith(two.received[0]!, SECRET)).toBe(true);
    const ids = sandbox.deliveries().map(({ id, url }) => [id, url]);
    expect(ids.map(([, url]) => url)).toEqual([one.url, two.url]);
    expect(new Set(ids.map(([id]) => id)).size).toBe(2);
  });

  it('go to the shared endpoints only if a merchant has none of its own', async () => {
    sandbox.deliverTo(one.url);
    await add({ url: two.url, merchant: 'other' });
    await gateway.collect({}, { merchant: 'other' });
    await sandbox.customer(phone).approve('order-1');

    expect([one.received.length, two.received.length]).toEqual([0, 1]);
    await approve('order-2');
    expect([one.received.length, two.received.length]).toEqual([1, 1]);
  });

  it('pass an endpoint by that is switched off, or takes other events', async () => {
    const { id } = await add({ url: one.url, events: ['payment.failed'] });
    await add({ url: two.url, enabled: false });
    await approve('order-1');
    expect(sandbox.deliveries()).toMatchObject([{ state: 'skipped', url: null }]);

    await control.patch(`/webhooks/endpoints/${id}`, { events: null });
    await approve('order-2');
    expect([one.received.length, two.received.length]).toEqual([1, 0]);

    await control.remove(`/webhooks/endpoints/${id}`);
    await approve('order-3');
    expect(one.received).toHaveLength(1);
  });

  it('go to an endpoint that is there if a delivered one is sent again, and its own was removed', async () => {
    const { id } = await add({ url: one.url });
    await approve('order-1');
    await control.remove(`/webhooks/endpoints/${id}`);
    await add({ url: two.url });
    const again = await control.post(`/deliveries/${sandbox.deliveries()[0]!.id}/replay`);
    expect(again.body).toMatchObject({ url: two.url, state: 'delivered' });
    expect([one.received.length, two.received.length]).toEqual([1, 1]);
  });

  it('that ended are not told again if their endpoint is turned off and removed', async () => {
    one.answerWith(200, 500);
    sandbox.deliverTo(one.url);
    await approve('order-1');
    await approve('order-2');
    const told: unknown[] = [];
    sandbox.on('delivery', ({ reference, state }) => told.push([reference, state]));
    await control.patch('/webhooks/endpoints/default', { enabled: false });
    await control.remove('/webhooks/endpoints/default');
    expect(told).toEqual([['order-2', 'skipped']]);
    expect(sandbox.explain('order-2').split('not sent again')).toHaveLength(2);
  });

  it.each([
    ['the forged one', '255700000010', 'skipped'],
    ['the first of two copies', '255700000007', 'delivered'],
  ])('end with %s if their endpoint is removed while it is on its way', async (_, phoneOfScenario, state) => {
    one.answerWith('never', 200);
    sandbox.deliverTo(one.url);
    await gateway.collect({ phone: phoneOfScenario });
    const advanced = sandbox.clock.advance('2s');
    await eventually(() => {
      expect(one.received).toHaveLength(1);
    });
    await control.remove('/webhooks/endpoints/default');
    expect(sandbox.explain('order-1')).not.toContain('not sent');
    one.answerLast(200);
    await advanced;
    expect(one.received).toHaveLength(1);
    expect(sandbox.deliveries()).toMatchObject([{ state }]);
    const end = sandbox.explain('order-1').split('\n').at(-1);
    expect(end?.includes('not sent again: its address was turned off or removed')).toBe(state === 'skipped');
  });

  it('end once if their endpoint is removed while three copies are on their way', async () => {
    const adversarial = await startSandbox({ clock: 'manual', profile: 'adversarial', seed: 7 });
    adversarial.deliverTo(one.url);
    one.answerWith('never');
    await callerOf(adversarial).collect();
    const approved = adversarial.customer(phone).approve('order-1');
    await eventually(() => {
      expect(one.received).toHaveLength(3);
    });
    await controlOf(adversarial).remove('/webhooks/endpoints/default');
    one.answerAll(500);
    await approved;
    const story = adversarial.explain('order-1').split('\n');
    expect(story.filter((line) => line.includes('answered 500'))).toHaveLength(3);
    expect(story.filter((line) => line.includes('not sent again'))).toEqual(story.slice(-1));
  });

  it.each([
    ['removed during their first try', 1, () => control.remove('/webhooks/endpoints/default')],
    ['removed during a later try', 2, () => control.remove('/webhooks/endpoints/default')],
    [
      'turned off during their first try',
      1,
      () => control.patch('/webhooks/endpoints/default', { enabled: false }),
    ],
  ])('are skipped, not exhausted, if their endpoint is %s and that try fails', async (_, tries, end) => {
    one.answerWith(...(tries === 1 ? [] : [500]), 'never');
    sandbox.deliverTo(one.url);
    await gateway.collect();
    const approved = sandbox.customer(phone).approve('order-1');
    const advanced = tries === 1 ? approved : approved.then(() => sandbox.clock.advance('1m'));
    await eventually(() => {
      expect(one.received).toHaveLength(tries);
    });
    await end();
    one.answerLast(500);
    await advanced;
    expect(sandbox.deliveries()).toMatchObject([{ state: 'skipped', status: 500, next_attempt_at: null }]);
    expect(sandbox.explain('order-1').split('\n').at(-1)).toContain(
      'not sent again: its address was turned off',
    );
  });

  it('stay skipped if a replay fails whose endpoint was removed meanwhile', async () => {
    one.answerWith(500, 'never');
    sandbox.deliverTo(one.url);
    await approve('order-1');
    const replayed = control.post(`/deliveries/${sandbox.deliveries()[0]!.id}/replay`);
    await eventually(() => {
      expect(one.received).toHaveLength(2);
    });
    await control.remove('/webhooks/endpoints/default');
    one.answerLast(500);
    expect((await replayed).body).toMatchObject({ state: 'skipped', next_attempt_at: null });
  });

  it('are not planned again by a try that ends after a failed replay', async () => {
    one.answerWith('never', 500);
    sandbox.deliverTo(one.url);
    await gateway.collect();
    const approved = sandbox.customer(phone).approve('order-1');
    await eventually(() => {
      expect(one.received).toHaveLength(1);
    });
    await control.patch('/webhooks/endpoints/default', { enabled: false });
    await control.patch('/webhooks/endpoints/default', { enabled: true });
    await control.post(`/deliveries/${sandbox.deliveries()[0]!.id}/replay`);
    one.answerLast(500);
    await approved;
    expect(sandbox.deliveries()).toMatchObject([{ state: 'exhausted', next_attempt_at: null }]);
  });

  it('that wait for an endpoint which is switched off are skipped, and may be sent by hand once it is on again', async () => {
    one.answerWith(500);
    const { id } = await add({ url: one.url });
    await approve('order-1');
    await control.patch(`/webhooks/endpoints/${id}`, { enabled: false });
    expect(sandbox.deliveries()).toMatchObject([{ state: 'skipped' }]);
    await sandbox.clock.advance('1d');
    expect(one.received).toHaveLength(1);
    one.answerWith(200);
    await control.patch(`/webhooks/endpoints/${id}`, { enabled: true });
    await control.post(`/deliveries/${sandbox.deliveries()[0]!.id}/replay`);
    expect(sandbox.deliveries()).toMatchObject([{ state: 'delivered' }]);
  });

  it('are signed with two secrets in turn while both are active, then with the newest', async () => {
    one.answerWith(500);
    const { id } = await add({ url: one.url, secret: SECRET });
    const rotated = await control.post<Endpoint>(`/webhooks/endpoints/${id}/rotate`, {
      overlap: '10m',
    });
    const newest = rotated.body.secrets[0]!.secret;
    await approve('order-1');
    await sandbox.clock.advance('1h');

    const signers = one.received.map((webhook) => (isSignedWith(webhook, newest) ? 'new' : 'old'));
    expect(signers).toEqual(['new', 'old', 'new', 'new']);
    expect(isSignedWith(one.received[1]!, SECRET)).toBe(true);
    const { body } = await control.get<Endpoint>(`/webhooks/endpoints/${id}`);
    expect(body.secrets).toHaveLength(1);
  });

  it('are signed with two secrets in turn also if copies are sent together', async () => {
    const adversarial = await startSandbox({ clock: 'manual', profile: 'adversarial', seed: 19 });
    one.answerWith('never');
    adversarial.deliverTo(one.url);
    await controlOf(adversarial).post('/webhooks/endpoints/default/rotate');
    await callerOf(adversarial).collect();
    const approved = adversarial.customer(phone).approve('order-1');
    await eventually(() => {
      expect(one.received).toHaveLength(2);
    });
    one.answerAll(500);
    await approved;
    const signers = one.received.map((webhook) => isSignedWith(webhook, adversarial.webhookSecret));
    expect(signers).toHaveLength(2);
    expect(new Set(signers).size).toBe(2);
  });

  it('are signed with the other secret at the next try, whatever a person sends again between', async () => {
    one.answerWith(500);
    const { id } = await add({ url: one.url, secret: SECRET });
    await control.post(`/webhooks/endpoints/${id}/rotate`);
    await approve('order-1');
    await control.post(`/deliveries/${sandbox.deliveries()[0]!.id}/replay`, { mode: 'identical' });
    await sandbox.clock.advance('5s');
    expect(one.received.map((webhook) => isSignedWith(webhook, SECRET))).toEqual([false, false, true]);
  });

  it('show a secret once, in the answer that makes it', async () => {
    const { id, secrets } = await add({ url: one.url });
    const shown = JSON.stringify((await control.get('/webhooks/endpoints')).body);

    expect(secrets[0]!.secret).toMatch(/^whsec_\w{32}$/);
    expect(shown).not.toContain(secrets[0]!.secret);
    const rotated = await control.post<Endpoint>(`/webhooks/endpoints/${id}/rotate`);
    expect(rotated.body.secrets[0]!.secret).not.toBe(secrets[0]!.secret);
    expect(JSON.stringify(rotated.body)).not.toContain(secrets[0]!.secret);
  });

  it.each([
    [{ url: 'http://10.0.0.7/hook' }, 'not on this machine'],
    [{ url: '127.0.0.1:3000' }, "write 'http://127.0.0.1:3000/webhooks/payments'"],
    [{ url: 'http://127.0.0.1:3000/', secret: 'short' }, 'shorter than 16 bytes'],
    [{ url: 'http://127.0.0.1:3000/', merchant: 'a b' }, '`merchant` must be the x of a key pair'],
    [
      { url: 'http://127.0.0.1:3000/', events: ['payment.lost'] },
      '`events` must be a list of payment.success',
    ],
    [{ url: 'http://127.0.0.1:3000/', target: 1 }, 'write url, merchant, events, enabled, secret'],
    [{}, '`url` is missing: it must be an http address on this machine'],
  ])('refuse the endpoint %j', async (fields, message) => {
    const answer = await control.post<ControlErrorBody>('/webhooks/endpoints', fields);
    expect(answer.status).toBe(422);
    expect(answer.body.error.message).toContain(message);
    expect((await control.get('/webhooks/endpoints')).body).toEqual({ items: [] });
  });

  it('show what was sent and what was answered', async () => {
    sandbox.deliverTo(one.url);
    one.answerWith(500);
    await approve('order-1');

    const [attempt] = sandbox.deliveries()[0]!.attempts;
    expect(attempt!.request_headers['x-webhook-signature']).toBe(
      one.received[0]!.headers['x-webhook-signature'],
    );
    expect(attempt).toMatchObject({ response_headers: { location: '/elsewhere' }, response_body: '' });
  });

  it('show where each try went, whatever became of their endpoint', async () => {
    one.answerWith(500, 'never');
    const { id } = await add({ url: one.url });
    await approve('order-1');
    const advanced = sandbox.clock.advance('1h');
    await eventually(() => {
      expect(one.received).toHaveLength(2);
    });
    await control.patch(`/webhooks/endpoints/${id}`, { url: two.url });
    one.answerLast(500);
    await advanced;
    const tries = [{ url: one.url }, { url: one.url }, { url: two.url }];
    expect(sandbox.deliveries()).toMatchObject([{ url: two.url, attempts: tries }]);
    await control.remove(`/webhooks/endpoints/${id}`);
    expect(sandbox.deliveries()).toMatchObject([{ url: two.url, attempts: tries }]);
    const targets = [...sandbox.explain('order-1').matchAll(/try \d to (\S+) ->/g)].map(([, url]) => url);
    expect(targets).toEqual(tries.map(({ url }) => url.split('?')[0]));
  });

  it('show the address of their last try once they have ended, and the current one while they wait', async () => {
    one.answerWith(200, 500);
    sandbox.deliverTo(one.url);
    await approve('order-1');
    await approve('order-2');
    sandbox.deliverTo(two.url);
    expect(sandbox.deliveries()).toMatchObject([{ url: one.url }, { url: two.url }]);
    const found = async (url: string) =>
      (await control.get(`/deliveries?q=${encodeURIComponent(new URL(url).host)}`)).body;
    expect(await found(one.url)).toMatchObject({ items: [{ reference: 'order-1' }] });
    expect(await found(two.url)).toMatchObject({ items: [{ reference: 'order-2' }] });
  });

  it('come once more on demand, signed again or the very same', async () => {
    await add({ url: one.url, secret: SECRET });
    await approve('order-1');
    const [{ id }] = sandbox.deliveries() as [SandboxDelivery];
    await control.post(`/webhooks/endpoints/endpoint-1/rotate`, { overlap: 0 });

    const identical = await control.post<SandboxDelivery>(`/deliveries/${id}/replay`, { mode: 'identical' });
    const resigned = await control.post<SandboxDelivery>(`/deliveries/${id}/replay`);

    expect(identical.body.attempts.map(({ replay }) => replay)).toEqual([null, 'identical']);
    expect(resigned.body.attempts.at(-1)).toMatchObject({ number: 3, replay: 'resigned', status: 200 });
    expect(one.received.map((webhook) => isSignedWith(webhook, SECRET))).toEqual([true, true, false]);
    expect(new Set(one.received.map(({ body }) => body.toString())).size).toBe(1);
  });

  it('leave the schedule alone when a replay fails, and end it when one is answered 200', async () => {
    sandbox.deliverTo(one.url);
    one.answerWith(500, 500, 200);
    await approve('order-1');
    const [before] = sandbox.deliveries();
    await control.post(`/deliveries/${before!.id}/replay`);
    expect(sandbox.deliveries()[0]).toMatchObject({
      state: 'waiting',
      next_attempt_at: before!.next_attempt_at,
    });

    await control.post(`/deliveries/${before!.id}/replay`);
    await sandbox.clock.advance('1d');
    expect(sandbox.deliveries()[0]).toMatchObject({ state: 'delivered', next_attempt_at: null });
    expect(one.received).toHaveLength(3);
  });

  it('can be sent at last if there was no address', async () => {
    await approve('order-1');
    const [{ id }] = sandbox.deliveries() as [SandboxDelivery];
    const refused = await control.post<ControlErrorBody>(`/deliveries/${id}/replay`);
    expect(refused).toMatchObject({ status: 409, body: { error: { code: 'NO_ENDPOINT' } } });

    sandbox.deliverTo(one.url);
    one.answerWith(500, 200);
    const failed = await control.post<SandboxDelivery>(`/deliveries/${id}/replay`);
    expect(failed.body).toMatchObject({ state: 'exhausted', next_attempt_at: null });
    const sent = await control.post<SandboxDelivery>(`/deliveries/${id}/replay`);
    expect(sent.body).toMatchObject({ state: 'delivered', url: one.url });
  });

  it('come once more at another address if theirs is turned off', async () => {
    const address = await add({ url: one.url });
    await approve('order-1');
    const [{ id }] = sandbox.deliveries() as [SandboxDelivery];
    await control.patch(`/webhooks/endpoints/${address.id}`, { enabled: false });
    const refused = await control.post<ControlErrorBody>(`/deliveries/${id}/replay`);
    expect(refused).toMatchObject({ status: 409, body: { error: { code: 'NO_ENDPOINT' } } });
    await add({ url: two.url });
    const sent = await control.post<SandboxDelivery>(`/deliveries/${id}/replay`);
    expect(sent.body).toMatchObject({ state: 'delivered', url: two.url });
    expect([one.received.length, two.received.length]).toEqual([1, 1]);
  });

  it('can be triggered without a payment', async () => {
    sandbox.deliverTo(one.url);
    const { body } = await control.post<{ items: SandboxDelivery[] }>('/webhooks/trigger', {
      event: 'payment.expired',
      data: { reference: 'order-7', amount: '99.50' },
    });

    expect(body.items).toMatchObject([
      { event: 'payment.expired', reference: 'order-7', state: 'delivered' },
    ]);
    const payload = JSON.parse(one.received[0]!.body.toString()) as object;
    expect(payload).toMatchObject({
      event: 'payment.expired',
      data: { reference: 'order-7', amount: '99.50', status: 'expired' },
    });
    expect(sandbox.payments()).toEqual([]);
  });

  it('cannot be triggered for what is no reference', async () => {
    const data = { reference: null };
    const { status, body } = await control.post('/webhooks/trigger', { event: 'payment.expired', data });
    expect(status).toBe(422);
    expect(body).toMatchObject({ error: { code: 'INVALID_BODY' } });
    expect(sandbox.deliveries()).toEqual([]);
  });
});

function isSignedWith({ headers, body }: ReceivedWebhook, secret: string): boolean {
  return headers['x-webhook-signature'] === createHmac('sha256', secret).update(body).digest('hex');
}
