import { type InboxClaim } from '../../storage/inbox-store.js';
import { type Cases, eachCase } from './contract-framework.js';
import { claimed, inboxDelivery, inboxKey, type InboxTest, LEASE_MS } from './inbox-test.js';

const ANOTHER = inboxDelivery('order-1', { event: 'payment.failed', fingerprint: 'f2', replaces: 'any' });

/** How an entry became free, and the deliveries that want it then. */
const FREED = [
  {
    after: 'it failed',
    free: async (first: InboxClaim) => first.fail(),
    delivery: inboxDelivery('order-1'),
    attempt: 2,
  },
  {
    after: 'its lease ran out',
    free: async (_first: InboxClaim, { pass }: InboxTest) => pass(LEASE_MS + 1),
    delivery: inboxDelivery('order-1'),
    attempt: 2,
  },
  {
    after: 'it finished, to replace its outcome',
    free: async (first: InboxClaim) => first.finish(),
    delivery: ANOTHER,
    attempt: 1,
  },
] as const;

/** What was claimed once is claimed again by one delivery at a time, too. */
export const INBOX_TAKING_OVER: Cases<InboxTest> = {
  ...eachCase(FREED, ({ after, free, delivery, attempt }) => [
    `lets one of many take over a claim at the same time after ${after}`,
    async (test: InboxTest) => {
      const { expect, claim, remembersHandlers } = test;
      const first = claimed(await claim(inboxDelivery('order-1')));
      await free(first, test);
      const results = await Promise.all(Array.from({ length: 50 }, () => claim(delivery)));
      const winners = results.filter(({ result }) => result === 'claimed').map(claimed);
      expect(winners.map((winner) => winner.attempt)).toEqual([attempt]);
      expect(results.filter(({ result }) => result === 'busy')).toHaveLength(49);
      // A transaction that finished knows that it did; a claim that reads the entry finds another claim there.
      expect(await first.finish()).toBe(delivery === ANOTHER && !remembersHandlers);
      expect((await claim(delivery)).result).toBe('busy');
      expect(await winners[0]?.finish()).toBe(true);
      expect(await claim(delivery)).toEqual({ result: 'done' });
    },
  ]),

  'purges no claim whose lease ran out: its handlers must run again': async ({
    inbox,
    pass,
    expect,
    claim,
  }) => {
    await claim(inboxDelivery('order-1'));
    await pass(LEASE_MS + 10_000);
    expect(await inbox.purge(inboxKey(''), 5_000)).toBe(0);
    expect(claimed(await claim(inboxDelivery('order-1'))).attempt).toBe(2);
  },
};
