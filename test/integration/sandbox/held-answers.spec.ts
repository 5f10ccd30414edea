import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { once } from 'node:events';
import { type Server } from 'node:http';
import { type Socket } from 'node:net';
import { type NextCall, type PaymentsSandbox, type PlannedFault } from 'nestjs-payments/sandbox';
import { callerOf, COLLECTION } from '../../support/gateway-caller.js';
import { startSandbox } from '../../support/sandbox.js';
import { startReceiver } from '../../support/webhook-receiver.js';

const COLLECT = 'POST /payments/mobile-money';
const HELD: readonly [string, (next: NextCall) => PlannedFault][] = [
  ['delayed', (next) => next.delay('5s')],
  ['dripped', (next) => next.drip('1s')],
];
const RESETS: readonly [string, (sandbox: PaymentsSandbox) => Promise<void>][] = [
  ['the merchant', (sandbox) => sandbox.merchant('demo').reset()],
  ['the sandbox', (sandbox) => sandbox.reset()],
];

describe('an answer that is held back', () => {
  let sandbox: PaymentsSandbox;
  let gateway: ReturnType<typeof callerOf>;

  beforeEach(async () => {
    sandbox = await startSandbox({ clock: 'manual', seed: 1 });
    gateway = callerOf(sandbox);
  });
  afterEach(() => sandbox.stop());

  const accepted = (): Promise<unknown> =>
    new Promise((resolve) => {
      sandbox.on('payment', resolve);
    });
  const nothingIsLeft = (): void => {
    expect(sandbox.requests()).toEqual([]);
    expect(sandbox.payments()).toEqual([]);
    expect(sandbox.explain('order-1')).toContain('Nothing has happened');
  };
  const given = (): Promise<unknown> =>
    gateway.collect().then(
      () => 'answered',
      () => 'given up',
    );

  describe.each(HELD)('(%s)', (_, plan) => {
    it.each(RESETS)('is forgotten when %s is reset', async (_who, reset) => {
      plan(sandbox.next(COLLECT));
      const waits = accepted();
      const outcome = given();
      await waits;
      await reset(sandbox);
      expect(await outcome).toBe('given up');
      await sandbox.clock.advance('1h');
      nothingIsLeft();
    });
  });

  it.each(RESETS)('for its webhook is forgotten when %s is reset', async (_who, reset) => {
    const receiver = await startReceiver();
    receiver.answerWith('never');
    sandbox.deliverTo(receiver.url);
    const told: unknown[] = [];
    sandbox.on('exchange', (exchange) => told.push(exchange));
    const paid = new Promise<void>((resolve) => {
      sandbox.on('payment', ({ status }) => {
        if (status === 'success') resolve();
      });
    });
    const outcome = gateway.collect({ phone: '255712340008' }).catch(() => 'given up');
    await paid;
    await reset(sandbox);
    expect(await outcome).toBe('given up');
    await sandbox.clock.advance('1h');
    await receiver.close();
    expect(told).toEqual([]);
    nothingIsLeft();
  });

  it('does not count as sent if its caller has gone', async () => {
    sandbox.next(COLLECT).delay('5s');
    const waits = accepted();
    const { server } = sandbox as unknown as { readonly server: Server };
    const connected = new Promise<Socket>((resolve) => {
      server.once('connection', resolve);
    });
    const leave = new AbortController();
    const headers = { 'content-type': 'application/json', authorization: 'Bearer pk_test_demo' };
    const call = fetch(`${sandbox.baseUrl}/payments/mobile-money`, {
      method: 'POST',
      signal: leave.signal,
      headers: { ...headers, 'idempotency-key': 'key-1' },
      body: JSON.stringify(COLLECTION),
    });
    const hungUp = once(await connected, 'close');
    await waits;
    leave.abort();
    await expect(call).rejects.toThrow();
    await hungUp;
    await sandbox.clock.advance('5s');
    expect(sandbox.requests()[0]).toMatchObject({ status: null, code: null, fault: 'delay' });
    expect(sandbox.explain('order-1')).toContain('no answer (delay)');
  });

  it('is written over its own line, not as a newer call', async () => {
    sandbox.next(COLLECT).delay('5s');
    const waits = accepted();
    const late = gateway.collect();
    await waits;
    await gateway.get('/merchant-balance');
    await sandbox.clock.advance('5s');
    await late;
    expect(sandbox.requests()).toMatchObject([
      { id: '1', status: 200, fault: 'delay' },
      { id: '2', status: 200 },
    ]);
  });
});
