import { type CountedPayment, type DailyCapReached, dailyCapDay } from '../../storage/daily-cap.js';
import { type StoredJournalRecord } from '../../storage/journal-store.js';
import { type Cases, type ContractFramework, registerCases } from './contract-framework.js';
import { DAILY_CAP_RACING } from './daily-cap-racing.cases.js';
import { CENTS, counted, type DailyCapTest, dailyCapTest, HOUR_MS, SOON_MS } from './daily-cap-test.js';
import { expectLeases, type LeaseWriter } from './journal-leases.cases.js';
import { JOURNAL_SCOPE as SCOPE, journalRecord, type JournalUnderTest, LEASE_MS } from './journal-test.js';

/**
 * Registers the tests of what a `JournalStore` with `dailyCaps` must do. Call it inside a `describe`.
 *
 * @param framework `describe`, `it` and `expect` of Jest, Vitest or another one.
 * @param open Makes an empty store, for each test.
 *
 * @publicApi
 */
export function dailyCapContract(
  framework: ContractFramework,
  open: () => Promise<JournalUnderTest> | JournalUnderTest,
): void {
  const cases = { ...DAILY_CAPS, ...DAILY_CAP_RACING };
  registerCases(framework, cases, async () => dailyCapTest(framework, await open()));
}

const DAY_MS = 24 * HOUR_MS;

const DAILY_CAPS: Cases<DailyCapTest> = {
  'writes exactly as many of the payments that come at the same time as the day has room for': async ({
    journal,
    caps,
    expect,
    today,
  }) => {
    const results = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        caps.insert(counted(`order-${index}`), LEASE_MS, { cents: CENTS, maxCount: 12 }),
      ),
    );
    const reached = results.filter((result): result is DailyCapReached => 'reachedOn' in result);
    expect(reached).toHaveLength(8);
    expect(new Set(reached.map(({ reachedOn }) => reachedOn))).toEqual(new Set([today]));
    const { entries } = await journal.list(SCOPE, [], { limit: 99 });
    const written = entries.filter(({ record }) => record.counted);
    expect(written).toHaveLength(12);
    expect(written[0]?.record.amount).toBe('1180.50');
  },

  'writes payments up to the sum of the day, to the cent': async ({ pay, expect }) => {
    const share = { cents: CENTS, maxCents: 3 * CENTS };
    expect(await pay(counted('order-1'), share)).toBe('written');
    expect(await pay(counted('order-2'), { ...share, cents: 2 * CENTS + 1 })).toBe('reached');
    expect(await pay(counted('order-2'), { ...share, cents: 2 * CENTS })).toBe('written');
    expect(await pay(counted('order-3'), { ...share, cents: 1 })).toBe('reached');
  },

  'counts sums that no number of 32 bits holds': async ({ caps, pay, expect, today }) => {
    const share = { cents: 3_000_000_000, maxCents: 6_000_000_000 };
    expect(await pay(counted('order-1'), share)).toBe('written');
    expect(await pay(counted('order-2'), share)).toBe('written');
    expect(await pay(counted('order-3'), { ...share, cents: 1 })).toBe('reached');
    await caps.release(SCOPE, today, share.cents);
    expect(await pay(counted('order-3'), { ...share, cents: share.cents + 1 })).toBe('reached');
    expect(await pay(counted('order-3'), share)).toBe('written');
    expect(await pay(counted('order-4'), { ...share, cents: 1 })).toBe('reached');
  },

  'refuses a payment that is larger than a whole day, and keeps the room for others': async ({
    pay,
    expect,
  }) => {
    expect(await pay(counted('order-1'), { cents: 101, maxCents: 100 })).toBe('reached');
    expect(await pay(counted('order-2'), { cents: 100, maxCents: 100 })).toBe('written');
  },

  'leaves no trace of a payment for which the day has no room': async ({
    journal,
    pay,
    expect,
    storedEntry,
  }) => {
    await pay(counted('order-1'), { cents: 1, maxCount: 1 });
    expect(await pay(counted('order-2'), { cents: 1, maxCount: 1 })).toBe('reached');
    expect(await storedEntry('order-2')).toBeUndefined();
    expect(await journal.tombstone(counted('order-2'))).toBeUndefined();
    expect((await journal.insert(journalRecord('order-2'), 0)).inserted).toBe(true);
  },

  'counts a payment once, however many ask for it at the same time': async ({ caps, pay, expect, today }) => {
    const share = { cents: CENTS, maxCount: 2 };
    const results = await Promise.all(
      Array.from({ length: 20 }, () => caps.insert(counted('order-1'), LEASE_MS, share)),
    );
    const written = results.filter((result) => 'inserted' in result && result.inserted);
    expect(written).toHaveLength(1);
    expect(written.map((result) => 'countedOn' in result && result.countedOn)).toEqual([today]);
    expect(results.every((result) => 'stored' in result)).toBe(true);
    expect(await pay(counted('order-2'), share)).toBe('written');
    expect(await pay(counted('order-3'), share)).toBe('reached');
  },

  'gives the existing record and the tombstone, also if the day has no room': async ({
    journal,
    pass,
    pay,
    expect,
    insert,
  }) => {
    await insert(journalRecord('order-1', { state: 'settled', outcome: 'success', settledBy: 'webhook' }), 0);
    await pass(10_000);
    await journal.purge(SCOPE, 'settled', 5_000);
    const full = { cents: 1, maxCount: 1 };
    expect(await pay(counted('order-2'), full)).toBe('written');
    expect(await pay(counted('order-3'), full)).toBe('reached');
    expect(await pay(counted('order-1'), full)).toBe('forgotten');
    expect(await pay(counted('order-2'), full)).toBe('existing');
  },

  'counts an attempt that is written over a record, with a time of its own': async ({
    caps,
    pass,
    expect,
    today,
    insert,
    storedEntry,
  }) => {
    const share = { cents: CENTS, maxCount: 1 };
    const first = await insert(journalRecord('order-1', { state: 'rejected' }), 0);
    await pass(SOON_MS);
    const next = counted('order-1', { attempt: 2, intent: 'another call' });
    const begun = (await caps.replace(first.version, next, LEASE_MS, share)) as StoredJournalRecord &
      CountedPayment;
    expect(begun.countedOn).toBe(today);
    expect(begun.record).toEqual(next);
    expect(begun.ageMs < SOON_MS && begun.leaseLeftMs > LEASE_MS - SOON_MS).toBe(true);
    expect(begun.createdAt).toBe(first.createdAt);
    expect((await storedEntry('order-1'))?.version).toBe(begun.version);
  },

  'writes the lease and the times that every reader gets': async (test) => {
    const { caps } = test;
    const share = { cents: CENTS, maxCount: 3 };
    const writer: LeaseWriter = {
      insert: (record, leaseMs) => caps.insert(record, leaseMs, share),
      replace: (version, record, leaseMs) => caps.replace(version, record, leaseMs, share),
    };
    await expectLeases(test, writer, counted('order-1'));
  },

  'changes nothing if the day has no room for an attempt': async ({
    journal,
    caps,
    pay,
    expect,
    today,
    insert,
    storedEntry,
  }) => {
    const full = { cents: 1, maxCount: 1 };
    const { version, record } = await insert(journalRecord('order-1', { state: 'planned' }), 0);
    await pay(counted('order-2'), full);
    expect(await caps.replace(version, counted('order-1'), LEASE_MS, full)).toEqual({ reachedOn: today });
    expect(await storedEntry('order-1')).toMatchObject({ version, record, leaseLeftMs: 0 });
    expect(await journal.replace(version, record, 0)).toMatchObject({ record });
  },

  'counts nothing for a version that is not there any more, and says so before it looks at the cap': async ({
    caps,
    pay,
    expect,
    insert,
  }) => {
    const share = { cents: CENTS, maxCount: 2 };
    const { version } = await insert(journalRecord('order-1', { state: 'rejected' }), 0);
    const results = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        caps.replace(version, counted('order-1', { attempt: 2, intent: `call ${index}` }), LEASE_MS, share),
      ),
    );
    expect(results.filter((result) => result !== undefined)).toHaveLength(1);
    expect(await pay(counted('order-2'), share)).toBe('written');
    expect(await pay(counted('order-3'), share)).toBe('reached');
    expect(await caps.replace(version, counted('order-1'), LEASE_MS, share)).toBeUndefined();
  },

  'gives back what a payment took, to its own day only': async ({ caps, pay, expect, today }) => {
    const share = { cents: CENTS, maxCount: 1, maxCents: CENTS };
    await pay(counted('order-1'), share);
    await caps.release(SCOPE, today - 1, CENTS);
    await caps.release({ ...SCOPE, family: 'disbursement' }, today, CENTS);
    expect(await pay(counted('order-2'), share)).toBe('reached');
    await caps.release(SCOPE, today, CENTS);
    expect(await pay(counted('order-2'), share)).toBe('written');
    expect(await pay(counted('order-3'), share)).toBe('reached');
  },

  'never gives back more than was counted': async ({ caps, pay, expect, today }) => {
    const share = { cents: CENTS, maxCount: 1, maxCents: CENTS };
    await pay(counted('order-1'), share);
    await caps.release(SCOPE, today, CENTS);
    await caps.release(SCOPE, today, CENTS);
    expect(await pay(counted('order-2'), share)).toBe('written');
    expect(await pay(counted('order-3'), share)).toBe('reached');
  },

  'stays on the day of the counter if the clock goes back by a day, and begins again if it goes back by more':
    async ({ caps, pass, pay, expect, today }) => {
      const share = { cents: CENTS, maxCount: 1, maxCents: CENTS };
      await pass(DAY_MS);
      expect(await pay(counted('order-1'), share)).toBe('written');
      await pass(-DAY_MS);
      expect(await caps.insert(counted('order-2'), LEASE_MS, share)).toEqual({ reachedOn: today + 1 });
      await pass(-DAY_MS);
      expect(await pay(counted('order-2'), share)).toBe('written');
      expect(await caps.insert(counted('order-3'), LEASE_MS, share)).toEqual({ reachedOn: today - 1 });
    },

  'begins a new day at midnight in Dar es Salaam, by the clock of the store': async ({
    caps,
    pass,
    pay,
    expect,
    today,
    untilEvening,
    storedEntry,
  }) => {
    const share = { cents: CENTS, maxCount: 1, maxCents: CENTS };
    await pay(counted('order-1'), share);
    await untilEvening();
    expect(await caps.insert(counted('order-2'), LEASE_MS, share)).toEqual({ reachedOn: today });
    await pass(2 * SOON_MS);
    expect(await pay(counted('order-2'), share)).toBe('written');
    expect(dailyCapDay((await storedEntry('order-2'))?.createdAt ?? 0)).toBe(today + 1);
    expect(await caps.insert(counted('order-3'), LEASE_MS, share)).toEqual({ reachedOn: today + 1 });
    await caps.release(SCOPE, today, CENTS);
    expect(await pay(counted('order-3'), share)).toBe('reached');
  },

  'counts accounts, environments and families apart': async ({ pay, expect }) => {
    const share = { cents: CENTS, maxCount: 1 };
    expect(await pay(counted('order-1'), share)).toBe('written');
    for (const other of [
      { account: 'payouts' },
      { environment: 'production' },
      { family: 'disbursement' },
    ] as const) {
      expect(await pay(counted('order-1', other), share)).toBe('written');
      expect(await pay(counted('order-2', other), share)).toBe('reached');
    }
  },
};
