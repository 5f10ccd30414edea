import { type InboxDelivery } from '../../storage/inbox-store.js';
import { type Cases, eachCase } from './contract-framework.js';
import { claimed, inboxDelivery, inboxKey, type InboxTest, LEASE_MS } from './inbox-test.js';

/** A claim that is withdrawn. */
export const WITHDRAWN_CLAIMS: Cases<InboxTest> = {
  'leaves nothing behind, as if it had never been made': async ({ pass, expect, claim }) => {
    await claimed(await claim(inboxDelivery('order-1'))).withdraw();
    expect(await claim(inboxDelivery('order-1', { mustExist: true }))).toEqual({ result: 'missing' });
    const other = claimed(await claim(inboxDelivery('order-1', { fingerprint: 'f2' })));
    expect([other.attempt, other.finished]).toEqual([1, []]);
    await pass(LEASE_MS + 1);
    await claimed(await claim(inboxDelivery('order-1', { fingerprint: 'f2' }))).withdraw();
    expect(await claim(inboxDelivery('order-1', { mustExist: true }))).toEqual({ result: 'missing' });
  },

  'has ended: its holder changes nothing any more': async ({ expect, claim }) => {
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
  },

  'takes nothing away once it ended or its lease was lost': async ({ pass, expect, claim }) => {
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
  },

  'keeps nobody waiting': async ({ inbox, expect, claim }) => {
    const running = claimed(await claim(inboxDelivery('order-1')));
    const released = inbox.waitForRelease(inboxKey('order-1'), LEASE_MS);
    await running.withdraw();
    await released;
    expect((await claim(inboxDelivery('order-1', { fingerprint: 'f2' }))).result).toBe('claimed');
  },
};

const existing = (change: Partial<InboxDelivery> = {}): InboxDelivery =>
  inboxDelivery('order-1', { mustExist: true, ...change });

/** A delivery whose entry must be there. */
export const EXISTING_ENTRIES: Cases<InboxTest> = {
  'claims nothing if there is no entry, and leaves nothing behind': async ({ expect, claim }) => {
    expect(await claim(existing())).toEqual({ result: 'missing' });
    expect(await claim(existing({ replaces: 'any' }))).toEqual({ result: 'missing' });
    expect(claimed(await claim(inboxDelivery('order-1'))).attempt).toBe(1);
  },

  'claims nothing once a finished entry was purged': async ({ inbox, pass, expect, claim }) => {
    await claimed(await claim(inboxDelivery('order-1'))).finish();
    await pass(10_000);
    expect(await claim(existing())).toEqual({ result: 'done' });
    expect(await inbox.purge(inboxKey(''), 5_000)).toBe(1);
    expect(await claim(existing())).toEqual({ result: 'missing' });
  },

  'runs what has not finished, is busy and conflicts like every other delivery': async ({
    pass,
    expect,
    claim,
  }) => {
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
  },

  'replaces what it may': async ({ expect, claim }) => {
    await claimed(await claim(inboxDelivery('order-1'))).finish();
    const other = { event: 'payment.failed', fingerprint: 'f2', replaces: ['f1'] };
    const replacing = claimed(await claim(existing(other)));
    expect([replacing.attempt, replacing.finished]).toEqual([1, []]);
    await replacing.finish();
    expect(await claim(existing(other))).toEqual({ result: 'done' });
  },
};

const charge = (providerReference?: string, change: Partial<InboxDelivery> = {}): InboxDelivery =>
  inboxDelivery('order-1', { ...(providerReference && { providerReference }), ...change });
const conflict = { result: 'conflict', existingEvent: 'payment.success' };

/** The provider reference of an outcome. */
export const PROVIDER_REFERENCES: Cases<InboxTest> = {
  ...eachCase(['finish', 'fail'] as const, (end) => [
    `makes another one a conflict after ${end}, and the same one not`,
    async ({ expect, claim }: InboxTest) => {
      await claimed(await claim(charge('p1')))[end]();
      expect(await claim(charge('p2'))).toEqual(conflict);
      const same = await claim(charge('p1'));
      expect(same.result).toBe(end === 'finish' ? 'done' : 'claimed');
      if (same.result !== 'claimed') return;
      expect(same.claim.attempt).toBe(2);
      await same.claim.finish();
      expect(await claim(charge('p2'))).toEqual(conflict);
    },
  ]),

  'differs from none that is absent, which changes nothing': async ({ expect, claim }) => {
    await claimed(await claim(charge('p1'))).fail();
    await claimed(await claim(charge())).finish();
    expect(await claim(charge())).toEqual({ result: 'done' });
    expect(await claim(charge('p2'))).toEqual(conflict);
    expect(await claim(charge('p1'))).toEqual({ result: 'done' });
  },

  ...eachCase(['finish', 'fail'] as const, (end) => [
    `is taken over if it comes only after ${end}`,
    async ({ expect, claim }: InboxTest) => {
      await claimed(await claim(charge()))[end]();
      const later = await claim(charge('p1'));
      if (later.result === 'claimed') await later.claim.finish();
      expect(await claim(charge('p1'))).toEqual({ result: 'done' });
      expect(await claim(charge('p2'))).toEqual(conflict);
      expect(await claim(charge())).toEqual({ result: 'done' });
    },
  ]),

  'may be replaced by the outcome of an operator, which then counts': async ({ expect, claim }) => {
    const first = claimed(await claim(charge('p1')));
    await first.mark('Orders.paid');
    await first.finish();
    const second = claimed(await claim(charge('p2', { replaces: 'any' })));
    expect([second.attempt, second.finished]).toEqual([1, []]);
    await second.finish();
    expect(await claim(charge('p2', { replaces: 'any' }))).toEqual({ result: 'done' });
    expect(await claim(charge('p1'))).toEqual(conflict);
  },

  'is not kept of an outcome that another one replaced': async ({ expect, claim }) => {
    await claimed(await claim(charge('p1'))).finish();
    const failed = { event: 'payment.failed', fingerprint: 'f2', replaces: 'any' } as const;
    await claimed(await claim(inboxDelivery('order-1', failed))).finish();
    expect(await claim(charge('p2', failed))).toEqual({ result: 'done' });
  },
};
