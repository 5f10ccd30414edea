import { describe, expect, it } from 'vitest';
import { BANK_PAYOUT, callerOf, COLLECTION, MOBILE_PAYOUT } from '../../support/gateway-caller.js';
import { rawCall } from '../../support/raw-call.js';
import { startSandbox } from '../../support/sandbox.js';
import { startReceiver } from '../../support/webhook-receiver.js';

const SEEDS = Array.from({ length: 24 }, (_, index) => index + 1);
const phone = COLLECTION.phone;

const start = (seed: number) => startSandbox({ profile: 'adversarial', clock: 'manual', seed });

/** A merchant's day, and every byte that came back. */
async function bytesOf(seed: number): Promise<readonly string[]> {
  const sandbox = await start(seed);
  const receiver = await startReceiver();
  receiver.answerWith(200, 503, 200);
  sandbox.deliverTo(receiver.url);
  const bytes: string[] = [];
  const call = async (operation: string, body?: object): Promise<void> => {
    bytes.push(await rawCall(sandbox, operation, body));
  };
  await call('GET /bank-shortnames');
  await call('POST /payments/mobile-money', COLLECTION);
  await call('POST /payments/mobile-money', COLLECTION);
  await call('POST /payments/partnerpesa', { ...COLLECTION, reference: 'order-2', phone: '255700000002' });
  await call('POST /disbursements/bank', BANK_PAYOUT);
  await call('POST /disbursements/mobile-money', { ...MOBILE_PAYOUT, network: 'NONE' });
  await call('POST /disbursements/name-lookup', { channel: 'BANK' });
  await sandbox.customer(phone).approve('order-1');
  await sandbox.payout('salary-1').fail();
  await sandbox.clock.advance('1d');
  await call('GET /merchant-balance');
  for (const { headers, body } of receiver.received) {
    const { host: _, ...ours } = headers;
    bytes.push(JSON.stringify(ours), body.toString());
  }
  await sandbox.stop();
  await receiver.close();
  return bytes;
}

describe('the profile adversarial', () => {
  it('replays a run byte for byte for the same seed, and another one for another seed', async () => {
    const [first, again, other] = [await bytesOf(11), await bytesOf(11), await bytesOf(12)];
    expect(again).toEqual(first);
    expect(other).not.toEqual(first);
  });

  it('gives a call the same answer whatever other calls came before it', async () => {
    const [busy, idle] = [await start(3), await start(3)];
    await callerOf(busy).get('/bank-shortnames');
    await callerOf(busy).collect({ reference: 'another' });
    const varied = [];
    for (const sandbox of [busy, idle]) {
      await callerOf(sandbox).payToBank();
      varied.push(sandbox.requests().at(-1)?.varied);
    }
    expect(varied[0]).toEqual(varied[1]);
  });

  it('varies everything on its list, never the meaning of an answer', async () => {
    const varied = new Set<string>();
    const refusalStatuses = new Set<number>();
    const successStatuses = new Set<number>();
    const shapes = new Set<string>();
    for (const seed of SEEDS) {
      const sandbox = await start(seed);
      sandbox.on('exchange', ({ request }) => {
        for (const name of request.varied) varied.add(name);
      });
      const gateway = callerOf(sandbox);
      const accepted = await gateway.collect({ amount: 1180.5 });
      expect(accepted.status).toBe(200);
      const { reference, amount } = accepted.body['data'] as Record<string, unknown>;
      expect([reference, Number(amount)]).toEqual(['order-1', 1180.5]);
      const payout = await gateway.payToBank();
      expect(payout.body).toMatchObject({ status: 'success' });
      successStatuses.add(payout.status);
      const balance = (await gateway.get('/merchant-balance')).body['data'] as Record<string, unknown>;
      expect([balance['balance'], balance['locked_balance']].map(Number)).toEqual([1_000_000, 20_500]);
      await gateway.get('/bank-shortnames');
      const refused = await gateway.payToPhone({ network: 'NONE' });
      expect(refused.body['code']).toBe('INVALID_NETWORK');
      refusalStatuses.add(refused.status);
      shapes.add(Object.keys(refused.body).includes('success') ? 'B' : 'A');
      const again = await gateway.payToPhone({ network: 'NONE', reference: 'another' });
      expect(again.status).toBe(refused.status);
      expect(await gateway.get('/merchant-balance', { merchant: 'no merchant' })).toMatchObject({
        status: 401,
        body: { code: 'UNAUTHORIZED' },
      });
      await sandbox.stop();
    }
    expect([...varied].sort()).toEqual([
      'a request_id in the error',
      'amounts as another type',
      'an unlisted status',
      'another message',
      'another meta',
      'data in another order',
      'empty metadata in another form',
      'ids as strings',
      'the envelope in another order',
      'timestamps in another form',
      'unknown fields in data',
      'unknown fields in the envelope',
    ]);
    expect(refusalStatuses).toContain(200);
    expect(refusalStatuses.size).toBeGreaterThan(4);
    expect([...successStatuses].sort()).toEqual([200, 201, 202]);
    expect([...shapes].sort()).toEqual(['A', 'B']);
  });

  it('lets the status and the shape of PROVIDER_ERROR say nothing about the money', async () => {
    const statuses = new Set<number>();
    const shapes = new Set<string>();
    for (const seed of SEEDS) {
      const sandbox = await start(seed);
      const refused = await callerOf(sandbox).payToPhone({ recipient_phone: '255712340502' });
      expect(refused.body['code']).toBe('PROVIDER_ERROR');
      statuses.add(refused.status);
      shapes.add('success' in refused.body ? 'B' : 'A');
      await sandbox.stop();
    }
    // A client that takes a 4xx with a code for final has to fail, and so has one that looks at the status alone.
    expect([...statuses]).toEqual(expect.arrayContaining([200, 422, 502]));
    expect([...shapes].sort()).toEqual(['A', 'B']);
  });

  it('delivers webhooks late, again and in other forms, with the same bytes for one event', async () => {
    const counts = new Set<number>();
    const types = new Set<string | undefined>();
    const amounts = new Set<string>();
    let late = 0;
    for (const seed of SEEDS) {
      const sandbox = await start(seed);
      const receiver = await startReceiver();
      sandbox.deliverTo(receiver.url);
      await callerOf(sandbox).collect({ phone: '255700000001' });
      await sandbox.clock.advance('2s');
      if (receiver.received.length === 0) late += 1;
      await sandbox.clock.advance('3h');
      counts.add(receiver.received.length);
      expect(new Set(receiver.received.map(({ body }) => body.toString())).size).toBe(1);
      const [{ headers, body }] = receiver.received as [(typeof receiver.received)[0]];
      types.add(headers['content-type']);
      const event = JSON.parse(body.toString()) as { event: string; data: Record<string, unknown> };
      expect(event).toMatchObject({
        event: 'payment.success',
        data: { reference: 'order-1', status: 'success' },
      });
      expect(Number(event.data['amount'])).toBe(15_000);
      amounts.add(typeof event.data['amount']);
      await sandbox.stop();
      await receiver.close();
    }
    expect(late).toBeGreaterThan(3);
    expect([...counts].sort()).toEqual(expect.arrayContaining([1, 2, 3, 4]));
    expect(types.size).toBe(3);
    expect([...amounts].sort()).toEqual(['number', 'string']);
  });

  it('keeps the promise that a decision waits for its first delivery', async () => {
    for (const seed of SEEDS.slice(0, 10)) {
      const sandbox = await start(seed);
      const receiver = await startReceiver();
      sandbox.deliverTo(receiver.url);
      await callerOf(sandbox).collect();
      await sandbox.customer(phone).approve('order-1');
      expect(receiver.received.length).toBeGreaterThan(0);
      await sandbox.stop();
      await receiver.close();
    }
  });

  it('lets one of the copies that fail together come again', async () => {
    const copies = new Set<number>();
    for (const seed of SEEDS.slice(0, 8)) {
      const sandbox = await start(seed);
      const receiver = await startReceiver();
      receiver.answerWith(503);
      sandbox.deliverTo(receiver.url);
      await callerOf(sandbox).collect();
      await sandbox.customer(phone).approve('order-1');
      const first = receiver.received.length;
      copies.add(first);
      await sandbox.clock.advance('3d');
      expect(receiver.received).toHaveLength(8 * first);
      const [delivery] = sandbox.deliveries();
      expect(delivery?.state).toBe('exhausted');
      // The whole schedule: 5 s, 5 min, 30 min, 2 h, 5 h, 10 h and 10 h.
      expect(delivery?.attempts.at(-1)?.at).toBe('2026-01-02T12:35:05.000Z');
      await sandbox.stop();
      await receiver.close();
    }
    expect(copies.size).toBeGreaterThan(1);
  });

  it('makes no second payment with a used key and another body under any seed', async () => {
    const codes = new Set<unknown>();
    for (const seed of SEEDS) {
      const sandbox = await start(seed);
      const gateway = callerOf(sandbox);
      await gateway.payToBank({}, { key: 'one' });
      codes.add((await gateway.payToBank({ reference: 'salary-2' }, { key: 'one' })).body['code']);
      await gateway.collect({}, { key: 'two' });
      await gateway.collect({ reference: 'order-2' }, { key: 'two' });
      expect(sandbox.payouts().map(({ reference }) => reference)).toEqual(['salary-1']);
      expect(sandbox.payments().map(({ reference }) => reference)).toEqual(['order-1']);
      await sandbox.stop();
    }
    expect([...codes].sort()).toEqual(['DISBURSEMENT_INITIATED', 'DUPLICATE_REQUEST', 'INVALID_REQUEST']);
  });

  it('takes a key after a refusal, or gives the first answer again, under some seeds', async () => {
    const codes = new Set<unknown>();
    const repeated = new Set<unknown>();
    for (const seed of SEEDS) {
      const sandbox = await start(seed);
      const gateway = callerOf(sandbox);
      await gateway.payToBank({ amount: 5_000_000 }, { key: 'one' });
      codes.add((await gateway.payToBank({ amount: 5_000_000 }, { key: 'one' })).body['code']);
      await gateway.payToBank({}, { key: 'two' });
      repeated.add((await gateway.payToBank({}, { key: 'two' })).body['code']);
      await sandbox.stop();
    }
    expect([...codes].sort()).toEqual(['DUPLICATE_REQUEST', 'INSUFFICIENT_BALANCE']);
    expect([...repeated].sort()).toEqual([
      'DISBURSEMENT_INITIATED',
      'DUPLICATE_REFERENCE',
      'DUPLICATE_REQUEST',
    ]);
  });
});
