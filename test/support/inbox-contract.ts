import { beforeEach, describe, expect, it } from 'vitest';
import { setTimeout as delay } from 'node:timers/promises';
import {
  type ClaimResult,
  type InboxClaim,
  type InboxDelivery,
  type InboxKey,
  type InboxStore,
} from 'nestjs-payments';
import { measureTime } from './passed-time.js';

/** An inbox under test, with a clock that the suite can move. */
export interface InboxUnderTest {
  readonly inbox: InboxStore;
  /** Lets `ms` pass for the store. */
  pass(ms: number): Promise<void> | void;
}

const LEASE_MS = 60_000;

export function inboxKey(reference: string, change: Partial<InboxKey> = {}): InboxKey {
  return { account: 'default', environment: 'sandbox', kind: 'outcome', reference, ...change };
}

export function inboxDelivery(reference: string, change: Partial<InboxDelivery> = {}): InboxDelivery {
  return { key: inboxKey(reference), event: 'payment.success', fingerprint: 'f1', replaces: [], ...change };
}

export function claimed(result: ClaimResult): InboxClaim {
  if (result.result !== 'claimed') throw new Error(`expected a claim, got ${result.result}`);
  return result.claim;
}

/**
 * What every inbox promises. Call it inside a `describe`.
 *
 * @param options.remembersHandlers False if the work of all handlers is rolled back together, so that there is nothing to remember.
 */
export function inboxContract(
  open: () => Promise<InboxUnderTest> | InboxUnderTest,
  { remembersHandlers = true }: { readonly remembersHandlers?: boolean } = {},
): void {
  let inbox: InboxStore;
  let pass: InboxUnderTest['pass'];
  const claim = (delivery: InboxDelivery): Promise<ClaimResult> => inbox.claim(delivery, LEASE_MS);

  beforeEach(async () => {
    const subject = await open();
    inbox = subject.inbox;
    pass = (ms) => subject.pass(ms);
  });

  it('lets one of many take a delivery at the same time', async () => {
    const results = await Promise.all(Array.from({ length: 50 }, () => claim(inboxDelivery('order-1'))));
    expect(results.filter(({ result }) => result === 'claimed')).toHaveLength(1);
    expect(results.filter(({ result }) => result === 'busy')).toHaveLength(49);
  });

  it('says how long the lease of a running claim still holds', async () => {
    const expectPassed = measureTime();
    await claim(inboxDelivery('order-1'));
    await pass(20_000);
    const busy = await claim(inboxDelivery('order-1'));
    expectPassed(busy.result === 'busy' ? LEASE_MS - busy.leaseLeftMs : undefined, 20_000);
  });

  it('knows a finished delivery', async () => {
    expect(await claimed(await claim(inboxDelivery('order-1'))).finish()).toBe(true);
    expect(await claim(inboxDelivery('order-1'))).toEqual({ result: 'done' });
  });

  it('runs a delivery again after its handlers failed, and counts the runs', async () => {
    const first = claimed(await claim(inboxDelivery('order-1')));
    expect(first.attempt).toBe(1);
    await first.fail();
    const second = claimed(await claim(inboxDelivery('order-1')));
    expect(second.attempt).toBe(2);
    expect(await second.finish()).toBe(true);
  });

  if (remembersHandlers) {
    it('remembers which handlers finished, until the outcome is done', async () => {
      const first = claimed(await claim(inboxDelivery('order-1')));
      expect(first.finished).toEqual([]);
      expect(await first.mark('Orders.paid')).toBe(true);
      expect(await first.mark('__proto__')).toBe(true);
      await first.fail();
      const second = claimed(await claim(inboxDelivery('order-1')));
      expect([...second.finished].sort()).toEqual(['Orders.paid', '__proto__']);
      expect(await second.mark('Mails.thank')).toBe(true);
      await pass(LEASE_MS + 1);
      const third = claimed(await claim(inboxDelivery('order-1')));
      expect([...third.finished].sort()).toEqual(['Mails.thank', 'Orders.paid', '__proto__']);
      expect(await second.mark('Late.one')).toBe(false);
      await third.finish();
      expect(await third.mark('Late.one')).toBe(false);
      const other = { fingerprint: 'f2', replaces: 'any' } as const;
      expect(claimed(await claim(inboxDelivery('order-1', other))).finished).toEqual([]);
    });
  } else {
    it('remembers no handler, since what it wrote is undone with everything else', async () => {
      const first = claimed(await claim(inboxDelivery('order-1')));
      expect(await first.mark('Orders.paid')).toBe(true);
      await first.fail();
      expect(await first.mark('Mails.thank')).toBe(false);
      const second = claimed(await claim(inboxDelivery('order-1')));
      expect(second.finished).toEqual([]);
      await second.finish();
    });
  }

  it('gives an expired claim to the next delivery, and its first holder changes nothing any more', async () => {
    const dead = claimed(await claim(inboxDelivery('order-1')));
    await pass(LEASE_MS + 1);
    const heir = claimed(await claim(inboxDelivery('order-1')));
    expect(heir.attempt).toBe(2);
    expect(await dead.finish()).toBe(false);
    await dead.fail();
    expect((await claim(inboxDelivery('order-1'))).result).toBe('busy');
    expect(await heir.finish()).toBe(true);
  });

  it('lets a claim end once', async () => {
    const claim1 = claimed(await claim(inboxDelivery('order-1')));
    await claim1.finish();
    await claim1.fail();
    expect(await claim(inboxDelivery('order-1'))).toEqual({ result: 'done' });
    const claim2 = claimed(await claim(inboxDelivery('order-2')));
    await claim2.fail();
    expect(await claim2.finish()).toBe(false);
    expect((await claim(inboxDelivery('order-2'))).result).toBe('claimed');
  });

  it('says again that a claim finished, to whom lost the first answer, and changes nothing by it', async () => {
    const first = claimed(await claim(inboxDelivery('order-1')));
    expect(await first.finish()).toBe(true);
    await pass(10_000);
    expect(await first.finish()).toBe(true);
    expect(await claim(inboxDelivery('order-1'))).toEqual({ result: 'done' });
    expect(await inbox.purge(inboxKey(''), 5_000)).toBe(1);
  });

  it('changes nothing by that once another outcome is in its place', async () => {
    const first = claimed(await claim(inboxDelivery('order-1')));
    await first.finish();
    const other = { fingerprint: 'f2', replaces: 'any' } as const;
    const second = claimed(await claim(inboxDelivery('order-1', other)));
    // A transaction knows that it was committed; who looks into the entry finds that of somebody else.
    const finished = !remembersHandlers;
    expect(await first.finish()).toBe(finished);
    expect((await claim(inboxDelivery('order-1', other))).result).toBe('busy');
    expect(await second.finish()).toBe(true);
    expect(await first.finish()).toBe(finished);
    expect((await claim(inboxDelivery('order-1', { fingerprint: 'f2' }))).result).toBe('done');
    expect((await claim(inboxDelivery('order-1'))).result).toBe('conflict');
  });

  it('decides nothing about another outcome while the first runs', async () => {
    await claim(inboxDelivery('order-1'));
    expect((await claim(inboxDelivery('order-1', { fingerprint: 'f2' }))).result).toBe('busy');
  });

  it.each(['finish', 'fail'] as const)(
    'calls another outcome a conflict after %s of the first',
    async (end) => {
      await claimed(await claim(inboxDelivery('order-1')))[end]();
      expect(await claim(inboxDelivery('order-1', { event: 'payment.failed', fingerprint: 'f2' }))).toEqual({
        result: 'conflict',
        existingEvent: 'payment.success',
      });
    },
  );

  it('calls another outcome a conflict after the lease of the first ran out', async () => {
    await claim(inboxDelivery('order-1'));
    await pass(LEASE_MS + 1);
    expect((await claim(inboxDelivery('order-1', { fingerprint: 'f2' }))).result).toBe('conflict');
  });

  it('replaces a finished outcome only by one that may replace it, and then counts from one again', async () => {
    await claimed(await claim(inboxDelivery('order-1'))).finish();
    const other = { event: 'payment.failed', fingerprint: 'f2' };
    expect((await claim(inboxDelivery('order-1', { ...other, replaces: ['f3'] }))).result).toBe('conflict');
    const replacing = claimed(await claim(inboxDelivery('order-1', { ...other, replaces: ['f0', 'f1'] })));
    expect(replacing.attempt).toBe(1);
    await replacing.finish();
    expect(await claim(inboxDelivery('order-1', other))).toEqual({ result: 'done' });
    expect((await claim(inboxDelivery('order-1'))).result).toBe('conflict');
  });

  it('takes over nothing of an outcome that failed and is replaced', async () => {
    const first = claimed(await claim(inboxDelivery('order-1')));
    await first.mark('Orders.paid');
    await first.fail();
    const replacing = claimed(
      await claim(inboxDelivery('order-1', { event: 'payment.failed', fingerprint: 'f2', replaces: ['f1'] })),
    );
    expect([replacing.attempt, replacing.finished]).toEqual([1, []]);
  });

  it('lets an operator replace any outcome, but not a running one', async () => {
    const first = claimed(await claim(inboxDelivery('order-1')));
    const released = inboxDelivery('order-1', { fingerprint: 'f2', replaces: 'any' });
    expect((await claim(released)).result).toBe('busy');
    await first.finish();
    expect((await claim(released)).result).toBe('claimed');
  });

  describe('a claim that is withdrawn', () => {
    it('leaves nothing behind, as if it had never been made', async () => {
      await claimed(await claim(inboxDelivery('order-1'))).withdraw();
      expect(await claim(inboxDelivery('order-1', { mustExist: true }))).toEqual({ result: 'missing' });
      const other = claimed(await claim(inboxDelivery('order-1', { fingerprint: 'f2' })));
      expect([other.attempt, other.finished]).toEqual([1, []]);
      await pass(LEASE_MS + 1);
      await claimed(await claim(inboxDelivery('order-1', { fingerprint: 'f2' }))).withdraw();
      expect(await claim(inboxDelivery('order-1', { mustExist: true }))).toEqual({ result: 'missing' });
    });

    it('has ended: its holder changes nothing any more', async () => {
      const first = claimed(await claim(inboxDelivery('order-1')));
      await first.withdraw();
      expect(await first.mark('Orders.paid')).toBe(false);
      expect(await first.finish()).toBe(false);
      const second = claimed(await claim(inboxDelivery('order-1')));
      expect([second.attempt, second.finished]).toEqual([1, []]);
      await first.withdraw();
      await first.fail();
      expect((await claim(inboxDelivery('order-1'))).result).toBe('busy');
      expect(await second.finish()).toBe(true);
    });

    it('takes nothing away once it ended or its lease was lost', async () => {
      const ended = claimed(await claim(inboxDelivery('order-1')));
      await ended.finish();
      await ended.withdraw();
      expect(await claim(inboxDelivery('order-1'))).toEqual({ result: 'done' });
      const failed = claimed(await claim(inboxDelivery('order-2')));
      await failed.fail();
      await failed.withdraw();
      expect((await claim(inboxDelivery('order-2', { fingerprint: 'f2' }))).result).toBe('conflict');
      const dead = claimed(await claim(inboxDelivery('order-3')));
      await pass(LEASE_MS + 1);
      const heir = claimed(await claim(inboxDelivery('order-3')));
      await dead.withdraw();
      expect(await heir.finish()).toBe(true);
    });

    it('keeps nobody waiting', async () => {
      const running = claimed(await claim(inboxDelivery('order-1')));
      const released = inbox.waitForRelease(inboxKey('order-1'), LEASE_MS);
      await running.withdraw();
      await released;
      expect((await claim(inboxDelivery('order-1', { fingerprint: 'f2' }))).result).toBe('claimed');
    });
  });

  describe('a delivery whose entry must be there', () => {
    const existing = (change: Partial<InboxDelivery> = {}) =>
      inboxDelivery('order-1', { mustExist: true, ...change });

    it('claims nothing if there is no entry, and leaves nothing behind', async () => {
      expect(await claim(existing())).toEqual({ result: 'missing' });
      expect(await claim(existing({ replaces: 'any' }))).toEqual({ result: 'missing' });
      expect(claimed(await claim(inboxDelivery('order-1'))).attempt).toBe(1);
    });

    it('claims nothing once a finished entry was purged', async () => {
      await claimed(await claim(inboxDelivery('order-1'))).finish();
      await pass(10_000);
      expect(await claim(existing())).toEqual({ result: 'done' });
      expect(await inbox.purge(inboxKey(''), 5_000)).toBe(1);
      expect(await claim(existing())).toEqual({ result: 'missing' });
    });

    it('runs what has not finished, is busy and conflicts as any other', async () => {
      const first = claimed(await claim(inboxDelivery('order-1')));
      expect((await claim(existing())).result).toBe('busy');
      await first.fail();
      const second = claimed(await claim(existing()));
      expect(second.attempt).toBe(2);
      await pass(LEASE_MS + 1);
      const third = claimed(await claim(existing()));
      expect(third.attempt).toBe(3);
      expect(await second.finish()).toBe(false);
      expect(await third.finish()).toBe(true);
      expect(await claim(existing())).toEqual({ result: 'done' });
      expect(await claim(existing({ fingerprint: 'f2' }))).toEqual({
        result: 'conflict',
        existingEvent: 'payment.success',
      });
    });

    it('replaces what it may', async () => {
      await claimed(await claim(inboxDelivery('order-1'))).finish();
      const other = { event: 'payment.failed', fingerprint: 'f2', replaces: ['f1'] };
      const replacing = claimed(await claim(existing(other)));
      expect([replacing.attempt, replacing.finished]).toEqual([1, []]);
      await replacing.finish();
      expect(await claim(existing(other))).toEqual({ result: 'done' });
    });
  });

  describe('the provider reference of an outcome', () => {
    const charge = (providerReference?: string, change: Partial<InboxDelivery> = {}) =>
      inboxDelivery('order-1', { ...(providerReference && { providerReference }), ...change });
    const conflict = { result: 'conflict', existingEvent: 'payment.success' };

    it.each(['finish', 'fail'] as const)(
      'makes another one a conflict after %s, and the same one not',
      async (end) => {
        await claimed(await claim(charge('p1')))[end]();
        expect(await claim(charge('p2'))).toEqual(conflict);
        const same = await claim(charge('p1'));
        expect(same.result).toBe(end === 'finish' ? 'done' : 'claimed');
        if (same.result !== 'claimed') return;
        expect(same.claim.attempt).toBe(2);
        await same.claim.finish();
        expect(await claim(charge('p2'))).toEqual(conflict);
      },
    );

    it('differs from none that is absent, which changes nothing', async () => {
      await claimed(await claim(charge('p1'))).fail();
      await claimed(await claim(charge())).finish();
      expect(await claim(charge())).toEqual({ result: 'done' });
      expect(await claim(charge('p2'))).toEqual(conflict);
      expect(await claim(charge('p1'))).toEqual({ result: 'done' });
    });

    it.each(['finish', 'fail'] as const)('is taken over if it comes only after %s', async (end) => {
      await claimed(await claim(charge()))[end]();
      const later = await claim(charge('p1'));
      if (later.result === 'claimed') await later.claim.finish();
      expect(await claim(charge('p1'))).toEqual({ result: 'done' });
      expect(await claim(charge('p2'))).toEqual(conflict);
      expect(await claim(charge())).toEqual({ result: 'done' });
    });

    it('may be replaced by the outcome of an operator, which then counts', async () => {
      const first = claimed(await claim(charge('p1')));
      await first.mark('Orders.paid');
      await first.finish();
      const second = claimed(await claim(charge('p2', { replaces: 'any' })));
      expect([second.attempt, second.finished]).toEqual([1, []]);
      await second.finish();
      expect(await claim(charge('p2', { replaces: 'any' }))).toEqual({ result: 'done' });
      expect(await claim(charge('p1'))).toEqual(conflict);
    });

    it('is not kept of an outcome that another one replaced', async () => {
      await claimed(await claim(charge('p1'))).finish();
      const failed = { event: 'payment.failed', fingerprint: 'f2', replaces: 'any' } as const;
      await claimed(await claim(inboxDelivery('order-1', failed))).finish();
      expect(await claim(charge('p2', failed))).toEqual({ result: 'done' });
    });
  });

  it('keeps accounts, environments, kinds and references apart', async () => {
    await claim(inboxDelivery('order-1'));
    for (const key of [
      inboxKey('order-2'),
      inboxKey('order-1', { account: 'payouts' }),
      inboxKey('order-1', { environment: 'production' }),
      inboxKey('order-1', { kind: 'unrecognized' }),
    ]) {
      expect((await claim(inboxDelivery('', { key }))).result).toBe('claimed');
    }
  });

  it('takes any text as a reference', async () => {
    for (const reference of ['__proto__', 'a:b', '"', "' OR 1=1 --", '\u{1F4B8}', 'x'.repeat(255)]) {
      await claimed(await claim(inboxDelivery(reference))).finish();
      expect(await claim(inboxDelivery(reference))).toEqual({ result: 'done' });
    }
  });

  it.each(['finish', 'fail'] as const)('wakes who waits for a claim at its %s', async (end) => {
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
  });

  it('does not wait if nothing runs, nor longer than its limit', async () => {
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
  });

  it('purges finished entries of one account that are old enough, and nothing unfinished', async () => {
    const scope = { account: 'default', environment: 'sandbox' } as const;
    await claimed(await claim(inboxDelivery('old'))).finish();
    await claimed(await claim(inboxDelivery('failed'))).fail();
    await claim(inboxDelivery('running'));
    const other = inboxKey('old', { account: 'payouts' });
    await claimed(await claim(inboxDelivery('', { key: other }))).finish();
    await pass(10_000);
    await claimed(await claim(inboxDelivery('young'))).finish();
    expect(await inbox.purge(scope, 5_000)).toBe(1);
    expect((await claim(inboxDelivery('old'))).result).toBe('claimed');
    expect((await claim(inboxDelivery('young'))).result).toBe('done');
    expect(claimed(await claim(inboxDelivery('failed'))).attempt).toBe(2);
    expect((await claim(inboxDelivery('running'))).result).toBe('busy');
    expect((await claim(inboxDelivery('', { key: other }))).result).toBe('done');
  });

  it('purges no outcome that runs in the place of a finished one', async () => {
    await claimed(await claim(inboxDelivery('order-1'))).finish();
    await pass(10_000);
    const released = inboxDelivery('order-1', { fingerprint: 'f2', replaces: ['f1'] });
    const running = claimed(await claim(released));
    expect(await inbox.purge(inboxKey(''), 5_000)).toBe(0);
    expect(await running.finish()).toBe(true);
    expect(await inbox.purge(inboxKey(''), 5_000)).toBe(0);
    expect(await claim(released)).toEqual({ result: 'done' });
  });
}
