import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { setTimeout as passed } from 'node:timers/promises';
import { type PaymentsSandbox } from 'nestjs-payments/sandbox';
import { callerOf, COLLECTION } from '../../support/gateway-caller.js';
import { startSandbox } from '../../support/sandbox.js';

const PAYOUT = 'POST /disbursements/mobile-money';
/** Approved after two seconds. */
const APPROVED = '255712340001';

describe('a handler of webhooks that waits for the clock of the emulator', () => {
  let sandbox: PaymentsSandbox;
  let gateway: ReturnType<typeof callerOf>;
  let application: Server;
  let handled: string[];
  let handle: () => Promise<unknown>;

  beforeEach(async () => {
    // Shorter than a test may take: a clock that waits for the handler would end with a failed try.
    sandbox = await startSandbox({ clock: 'manual', webhookTimeoutMs: 3_000 });
    gateway = callerOf(sandbox);
    handled = [];
    application = createServer((request, response) => {
      request.resume();
      void handle().then(() => {
        handled.push('handled');
        response.end();
      });
    }).listen(0, '127.0.0.1');
    await once(application, 'listening');
    sandbox.deliverTo(`http://127.0.0.1:${(application.address() as AddressInfo).port}/`);
  });
  afterEach(async () => {
    await sandbox.stop();
    application.closeAllConnections();
    application.close();
  });

  const nextPayout = (): Promise<unknown> =>
    new Promise((resolve) => {
      sandbox.on('payout', resolve);
    });
  const expectHandledOnce = (): void => {
    expect(handled).toEqual(['handled']);
    expect(sandbox.deliveries()).toMatchObject([{ state: 'delivered', attempts: [{ problem: null }] }]);
  };

  it.each(['delay', 'drip'] as const)(
    'gets an answer that %s holds back, within the same advance',
    async (fault) => {
      sandbox.next(PAYOUT)[fault](fault === 'delay' ? '2s' : '1ms');
      handle = () => gateway.payToPhone();
      await gateway.collect({ phone: APPROVED });
      await sandbox.clock.advance('1m');
      expectHandledOnce();
      expect(sandbox.payouts()).toHaveLength(1);
    },
  );

  it('gets the answer when the clock comes to it, if it stops before', async () => {
    sandbox.next(PAYOUT).delay('10s');
    handle = () => gateway.payToPhone();
    await gateway.collect({ phone: APPROVED });
    await sandbox.clock.advance('3s');
    expect(handled).toEqual([]);
    await sandbox.clock.advance('10s');
    await expect.poll(() => handled).toEqual(['handled']);
  });

  it('gets the answer in an advance that comes while an approval waits for the handler', async () => {
    sandbox.next(PAYOUT).delay('2s');
    handle = () => gateway.payToPhone();
    await gateway.collect();
    const held = nextPayout();
    const approved = sandbox.customer(COLLECTION.phone).approve('order-1');
    await held;
    await sandbox.clock.advance('5s');
    await approved;
    expectHandledOnce();
  });

  it('gets the answer of a call that was held back before its webhook, within the same advance', async () => {
    sandbox.next(PAYOUT).delay('10s');
    const held = nextPayout();
    const paid = gateway.payToPhone();
    await held;
    handle = () => paid;
    await gateway.collect({ phone: APPROVED });
    await sandbox.clock.advance('1m');
    expectHandledOnce();
  });

  it.each([
    ['its caller waits', async () => {}, () => gateway.get('/merchant-balance')],
    // Longer than the clock waits in silence while an answer is held back.
    ['its caller has gone', () => sandbox.merchant('demo').reset(), () => passed(600)],
  ])(
    'is waited for although an answer that it does not need is held back and %s',
    async (_state, giveUp, work) => {
      sandbox.next(PAYOUT).drip('1h');
      const held = nextPayout();
      const paid = gateway.payToPhone().catch(() => {});
      await held;
      await giveUp();
      handle = work;
      await gateway.collect({ phone: APPROVED });
      await sandbox.clock.advance('3s');
      expectHandledOnce();
      await sandbox.reset();
      await paid;
    },
  );

  it.each([
    ['an approval', () => sandbox.customer(APPROVED).approve('order-1')],
    ['an advance', () => sandbox.clock.advance('1m')],
  ])('may itself advance the clock, while %s waits for it', async (_what, cause) => {
    handle = () => sandbox.clock.advance('1s');
    await gateway.collect({ phone: APPROVED });
    const before = sandbox.clock.now();
    await cause();
    expectHandledOnce();
    expect(sandbox.clock.now() - before).toBeGreaterThanOrEqual(1_000);
  });
});
