import { setTimeout as delay } from 'node:timers/promises';
import { type Cases, eachCase } from './contract-framework.js';
import { claimed, inboxDelivery, inboxKey, type InboxTest } from './inbox-test.js';

/** Who waits is woken, and what is old can be purged. */
export const INBOX_WAITING: Cases<InboxTest> = {
  ...eachCase(['finish', 'fail'] as const, (end) => [
    `wakes who waits for a claim at its ${end}`,
    async ({ inbox, expect, claim }: InboxTest) => {
      const running = claimed(await claim(inboxDelivery('order-1')));
      const order: string[] = [];
      // Longer than any test may take: only the end of the claim can end the wait.
      const waiting = inbox.waitForRelease(inboxKey('order-1'), 60_000).then(() => order.push('woken'));
      // A store that does not wait answers sooner than all of these.
      for (let asked = 0; asked < 5; asked += 1) await claim(inboxDelivery('order-1'));
      order.push(end);
      await running[end]();
      await waiting;
      expect(order).toEqual([end, 'woken']);
    },
  ]),

  'does not wait if nothing runs, nor longer than its limit': async ({ inbox, expect, claim }) => {
    await inbox.waitForRelease(inboxKey('order-1'), 60_000);
    await claim(inboxDelivery('order-1'));
    const limitMs = 1;
    const waited = inbox.waitForRelease(inboxKey('order-1'), limitMs).then(() => 'in time');
    // By the speed of store and machine: twenty times the limit and an answer of the store.
    const late = (async () => {
      for (let asked = 0; asked < 20; asked += 1) {
        await delay(limitMs);
        await claim(inboxDelivery('order-1'));
      }
      return 'late';
    })();
    expect(await Promise.race([waited, late])).toBe('in time');
    await late;
  },

  'purges finished entries of one account that are old enough, and nothing unfinished': async ({
    inbox,
    pass,
    expect,
    claim,
  }) => {
    const scope = { account: 'default', environment: 'sandbox' } as const;
    await claimed(await claim(inboxDelivery('old'))).finish();
    await claimed(await claim(inboxDelivery('failed'))).fail();
    await claim(inboxDelivery('running'));
    const others = ([{ account: 'payouts' }, { environment: 'production' }] as const).map((other) =>
      inboxDelivery('old', { key: inboxKey('old', other) }),
    );
    for (const other of others) await claimed(await claim(other)).finish();
    await pass(10_000);
    await claimed(await claim(inboxDelivery('young'))).finish();
    expect(await inbox.purge(scope, 5_000)).toBe(1);
    expect((await claim(inboxDelivery('old'))).result).toBe('claimed');
    expect((await claim(inboxDelivery('young'))).result).toBe('done');
    expect(claimed(await claim(inboxDelivery('failed'))).attempt).toBe(2);
    expect((await claim(inboxDelivery('running'))).result).toBe('busy');
    for (const other of others) expect((await claim(other)).result).toBe('done');
  },

  'purges no outcome that runs in place of a finished one': async ({ inbox, pass, expect, claim }) => {
    await claimed(await claim(inboxDelivery('order-1'))).finish();
    await pass(10_000);
    const released = inboxDelivery('order-1', { fingerprint: 'f2', replaces: ['f1'] });
    const running = claimed(await claim(released));
    expect(await inbox.purge(inboxKey(''), 5_000)).toBe(0);
    expect(await running.finish()).toBe(true);
    expect(await inbox.purge(inboxKey(''), 5_000)).toBe(0);
    expect(await claim(released)).toEqual({ result: 'done' });
  },
};
