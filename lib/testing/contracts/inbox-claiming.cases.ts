import { ALIKE_FINGERPRINTS, ALIKE_REFERENCES } from './alike-texts.js';
import { type Cases, eachCase } from './contract-framework.js';
import { claimed, inboxDelivery, inboxKey, type InboxTest, LEASE_MS } from './inbox-test.js';
import { measureTime } from './passed-time.js';

/** One delivery at a time has the claim of an outcome. */
export const INBOX_CLAIMING: Cases<InboxTest> = {
  'lets one of many take a delivery at the same time': async ({ expect, claim }) => {
    const results = await Promise.all(Array.from({ length: 50 }, () => claim(inboxDelivery('order-1'))));
    expect(results.filter(({ result }) => result === 'claimed')).toHaveLength(1);
    expect(results.filter(({ result }) => result === 'busy')).toHaveLength(49);
  },

  'says how long the lease of a running claim still holds': async ({ pass, expect, claim }) => {
    const expectPassed = measureTime(expect);
    await claim(inboxDelivery('order-1'));
    await pass(20_000);
    const busy = await claim(inboxDelivery('order-1'));
    expectPassed(busy.result === 'busy' ? LEASE_MS - busy.leaseLeftMs : undefined, 20_000);
  },

  'knows a finished delivery': async ({ expect, claim }) => {
    expect(await claimed(await claim(inboxDelivery('order-1'))).finish()).toBe(true);
    expect(await claim(inboxDelivery('order-1'))).toEqual({ result: 'done' });
  },

  'runs a delivery again after its handlers failed, and counts the runs': async ({ expect, claim }) => {
    const first = claimed(await claim(inboxDelivery('order-1')));
    expect(first.attempt).toBe(1);
    await first.fail();
    const second = claimed(await claim(inboxDelivery('order-1')));
    expect(second.attempt).toBe(2);
    expect(await second.finish()).toBe(true);
  },

  'gives an expired claim to the next delivery, and its first holder changes nothing any more': async ({
    pass,
    expect,
    claim,
  }) => {
    const dead = claimed(await claim(inboxDelivery('order-1')));
    await pass(LEASE_MS + 1);
    const heir = claimed(await claim(inboxDelivery('order-1')));
    expect(heir.attempt).toBe(2);
    expect(await dead.finish()).toBe(false);
    await dead.fail();
    expect((await claim(inboxDelivery('order-1'))).result).toBe('busy');
    expect(await heir.finish()).toBe(true);
  },

  'lets a claim end once': async ({ expect, claim }) => {
    const claim1 = claimed(await claim(inboxDelivery('order-1')));
    await claim1.finish();
    await claim1.fail();
    expect(await claim(inboxDelivery('order-1'))).toEqual({ result: 'done' });
    const claim2 = claimed(await claim(inboxDelivery('order-2')));
    await claim2.fail();
    expect(await claim2.finish()).toBe(false);
    expect((await claim(inboxDelivery('order-2'))).result).toBe('claimed');
  },

  'says again that a claim finished, to whom lost the first answer, and changes nothing by it': async ({
    inbox,
    pass,
    expect,
    claim,
  }) => {
    const first = claimed(await claim(inboxDelivery('order-1')));
    expect(await first.finish()).toBe(true);
    await pass(10_000);
    expect(await first.finish()).toBe(true);
    expect(await claim(inboxDelivery('order-1'))).toEqual({ result: 'done' });
    expect(await inbox.purge(inboxKey(''), 5_000)).toBe(1);
  },

  'changes nothing by that once another outcome is in its place': async ({
    expect,
    claim,
    remembersHandlers,
  }) => {
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
  },

  'decides nothing about another outcome while the first runs': async ({ expect, claim }) => {
    await claim(inboxDelivery('order-1'));
    expect((await claim(inboxDelivery('order-1', { fingerprint: 'f2' }))).result).toBe('busy');
  },

  ...eachCase(['finish', 'fail'] as const, (end) => [
    `calls another outcome a conflict after ${end} of the first`,
    async ({ expect, claim }: InboxTest) => {
      await claimed(await claim(inboxDelivery('order-1')))[end]();
      expect(await claim(inboxDelivery('order-1', { event: 'payment.failed', fingerprint: 'f2' }))).toEqual({
        result: 'conflict',
        existingEvent: 'payment.success',
      });
    },
  ]),

  'calls another outcome a conflict after the lease of the first ran out': async ({
    pass,
    expect,
    claim,
  }) => {
    await claim(inboxDelivery('order-1'));
    await pass(LEASE_MS + 1);
    expect((await claim(inboxDelivery('order-1', { fingerprint: 'f2' }))).result).toBe('conflict');
  },

  'replaces a finished outcome only by one that may replace it, and then counts from one again': async ({
    expect,
    claim,
  }) => {
    await claimed(await claim(inboxDelivery('order-1'))).finish();
    const other = { event: 'payment.failed', fingerprint: 'f2' };
    expect((await claim(inboxDelivery('order-1', { ...other, replaces: ['f3'] }))).result).toBe('conflict');
    const replacing = claimed(await claim(inboxDelivery('order-1', { ...other, replaces: ['f0', 'f1'] })));
    expect(replacing.attempt).toBe(1);
    await replacing.finish();
    expect(await claim(inboxDelivery('order-1', other))).toEqual({ result: 'done' });
    expect((await claim(inboxDelivery('order-1'))).result).toBe('conflict');
  },

  'takes over nothing of an outcome that failed and is replaced': async ({ expect, claim }) => {
    const first = claimed(await claim(inboxDelivery('order-1')));
    await first.mark('Orders.paid');
    await first.fail();
    const replacing = claimed(
      await claim(inboxDelivery('order-1', { event: 'payment.failed', fingerprint: 'f2', replaces: ['f1'] })),
    );
    expect([replacing.attempt, replacing.finished]).toEqual([1, []]);
  },

  'lets an operator replace any outcome, but not a running one': async ({ expect, claim }) => {
    const first = claimed(await claim(inboxDelivery('order-1')));
    const released = inboxDelivery('order-1', { fingerprint: 'f2', replaces: 'any' });
    expect((await claim(released)).result).toBe('busy');
    await first.finish();
    expect((await claim(released)).result).toBe('claimed');
  },

  'keeps accounts, environments, kinds and references apart': async ({ expect, claim }) => {
    await claim(inboxDelivery('order-1'));
    for (const key of [
      inboxKey('order-2'),
      inboxKey('order-1', { account: 'payouts' }),
      inboxKey('order-1', { environment: 'production' }),
      inboxKey('order-1', { kind: 'unrecognized' }),
    ]) {
      expect((await claim(inboxDelivery('', { key }))).result).toBe('claimed');
    }
  },

  'keeps references apart that are only alike, also those that come at the same time': async ({
    expect,
    claim,
  }) => {
    const references = ALIKE_REFERENCES.flat();
    const finished = await Promise.all(
      references.map(async (reference) => claimed(await claim(inboxDelivery(reference))).finish()),
    );
    expect(finished.filter(Boolean)).toHaveLength(references.length);
    for (const reference of references) {
      expect(await claim(inboxDelivery(reference))).toEqual({ result: 'done' });
    }
  },

  'tells outcomes apart whose fingerprints differ only at the end': async ({ expect, claim }) => {
    const [fingerprint, other] = ALIKE_FINGERPRINTS;
    await claimed(await claim(inboxDelivery('order-1', { fingerprint }))).finish();
    expect((await claim(inboxDelivery('order-1', { fingerprint: other }))).result).toBe('conflict');
    const released = inboxDelivery('order-1', { fingerprint: other, replaces: [other] });
    expect((await claim(released)).result).toBe('conflict');
    expect(await claim(inboxDelivery('order-1', { fingerprint }))).toEqual({ result: 'done' });
  },

  'takes any text as a reference': async ({ expect, claim }) => {
    for (const reference of ['__proto__', 'a:b', '"', "' OR 1=1 --", '\u{1F4B8}', 'x'.repeat(255)]) {
      await claimed(await claim(inboxDelivery(reference))).finish();
      expect(await claim(inboxDelivery(reference))).toEqual({ result: 'done' });
    }
  },
};

/** For stores that keep what each handler did. */
export const HANDLERS_REMEMBERED: Cases<InboxTest> = {
  'remembers which handlers finished, until the outcome is done': async ({ pass, expect, claim }) => {
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
  },
};

/** For stores that undo the work of all handlers together. */
export const HANDLERS_UNDONE: Cases<InboxTest> = {
  'remembers no handler, since what it wrote is undone with everything else': async ({ expect, claim }) => {
    const first = claimed(await claim(inboxDelivery('order-1')));
    expect(await first.mark('Orders.paid')).toBe(true);
    await first.fail();
    expect(await first.mark('Mails.thank')).toBe(false);
    const second = claimed(await claim(inboxDelivery('order-1')));
    expect(second.finished).toEqual([]);
    await second.finish();
  },
};
