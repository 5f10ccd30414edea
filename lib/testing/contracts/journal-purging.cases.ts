import { type Cases, eachCase } from './contract-framework.js';
import {
  allBut,
  JOURNAL_SCOPE as SCOPE,
  JOURNAL_STATES as STATES,
  journalRecord,
  type JournalTest,
  LEASE_MS,
} from './journal-test.js';

/** How a payment ended, and what its tombstone says of that. */
const ENDS = [
  [
    { state: 'settled', outcome: 'success', settledBy: 'webhook' },
    { end: 'success', settledBy: 'webhook' },
  ],
  [
    { state: 'settled', outcome: 'cancelled', settledBy: 'operator' },
    { end: 'cancelled', settledBy: 'operator' },
  ],
  [
    { state: 'settled', outcome: 'paid', settledBy: 'status', family: 'disbursement' },
    { end: 'paid', settledBy: 'status' },
  ],
  [
    { state: 'rejected', attempt: 3 },
    { end: 'rejected', attempt: 3 },
  ],
  [
    { state: 'rejected', keepsKey: true, attempt: 2 },
    { end: 'unlisted-refusal', attempt: 2 },
  ],
  [
    { state: 'accepted', family: 'disbursement', attempt: 2 },
    { end: 'accepted', attempt: 2 },
  ],
] as const;

const FORGETTABLE = [
  ['rejected', ['collection rejected', 'disbursement rejected']],
  ['accepted-payouts', ['disbursement accepted']],
] as const;

/** What one account and environment forget stays with the others. */
const OTHER_SCOPES = [{ account: 'payouts' }, { environment: 'production' }] as const;

/** What is forgotten leaves a tombstone. */
export const JOURNAL_PURGING: Cases<JournalTest> = {
  'purges settled payments of one account that did not change for long, and nothing else': async ({
    journal,
    pass,
    expect,
    insert,
    storedEntry,
  }) => {
    const scope = { account: 'default', environment: 'sandbox' } as const;
    const settledOne = { state: 'settled', outcome: 'success' } as const;
    for (const state of ['planned', 'in-flight', 'accepted', 'rejected', 'unknown'] as const)
      await insert(journalRecord(state, { state }));
    await insert(journalRecord('old', settledOne));
    await insert(journalRecord('old payout', { ...settledOne, family: 'disbursement' }));
    for (const other of OTHER_SCOPES) await insert(journalRecord('other', { ...settledOne, ...other }));
    const late = await insert(journalRecord('settled late'));
    await pass(100_000);
    await journal.replace(late.version, journalRecord('settled late', settledOne), 0);
    expect(await journal.purge(scope, 'settled', 50_000)).toBe(2);
    expect(await storedEntry('old')).toBeUndefined();
    expect((await journal.list(SCOPE, allBut('settled'), { limit: 10 })).entries).toHaveLength(1);
    for (const reference of ['planned', 'in-flight', 'accepted', 'rejected', 'unknown', 'settled late'])
      expect(await storedEntry(reference)).toBeDefined();
    for (const other of OTHER_SCOPES) expect(await journal.get(journalRecord('other', other))).toBeDefined();
  },

  ...eachCase(ENDS, ([change, left]) => [
    `keeps a tombstone of a payment that it forgot, ${JSON.stringify(change)}, which nothing is written over`,
    async ({ journal, pass, expect, insert }: JournalTest) => {
      // What looks like a field in a text of the customer's is none.
      const answer = '{"outcome":"failed","settledBy":"status","keepsKey":true,"text":"a\\u0000b"}';
      const payment = journalRecord('order-1 "outcome":"failed","keepsKey":true', { ...change, answer });
      const what =
        payment.state === 'accepted' ? 'accepted-payouts' : (payment.state as 'settled' | 'rejected');
      await insert(payment);
      expect(await journal.tombstone(payment)).toBeUndefined();
      await pass(100_000);
      expect(await journal.purge(payment, what, 50_000)).toBe(1);
      const tombstone = { attempt: 1, ...left };
      expect(await journal.tombstone(payment)).toEqual(tombstone);
      expect(
        await journal.insert(journalRecord(payment.reference, { family: payment.family }), LEASE_MS),
      ).toEqual({
        inserted: false,
        tombstone,
      });
      expect(await journal.get(payment)).toBeUndefined();
      const family = payment.family === 'collection' ? 'disbursement' : 'collection';
      for (const other of [...OTHER_SCOPES, { family }, { reference: 'order-2' }] as const) {
        expect(await journal.tombstone({ ...payment, ...other })).toBeUndefined();
      }
    },
  ]),

  'writes into a tombstone how the payment ended after all, keeps its attempt, and leaves none of its own':
    async ({ journal, pass, expect, insert }) => {
      const refused = journalRecord('order-1', { state: 'rejected', attempt: 3 });
      const other = journalRecord('order-2', { state: 'rejected' });
      for (const record of [refused, other]) await insert(record);
      await pass(100_000);
      await journal.purge(refused, 'rejected', 50_000);
      await pass(30_000);
      const ended = { end: 'success', settledBy: 'webhook' } as const;
      await journal.endTombstone(refused, ended);
      expect(await journal.tombstone(refused)).toEqual({ attempt: 3, ...ended });
      expect(await journal.tombstone(other)).toEqual({ attempt: 1, end: 'rejected' });
      for (const unknown of [
        ...OTHER_SCOPES,
        { family: 'disbursement' },
        { reference: 'order-3' },
      ] as const) {
        await journal.endTombstone({ ...refused, ...unknown }, ended);
        expect(await journal.tombstone({ ...refused, ...unknown })).toBeUndefined();
      }
      // As old as what it says now.
      await pass(30_000);
      expect(await journal.purge(refused, 'tombstones', 50_000)).toBe(1);
      expect(await journal.tombstone(refused)).toEqual({ attempt: 3, ...ended });
    },

  'purges old tombstones if it is asked to': async ({ journal, pass, expect, insert, storedEntry }) => {
    const scope = { account: 'default', environment: 'sandbox' } as const;
    const old = journalRecord('old', { state: 'rejected', family: 'disbursement' });
    const others = OTHER_SCOPES.map((other) => journalRecord('other', { state: 'rejected', ...other }));
    const young = journalRecord('young', { state: 'rejected' });
    for (const record of [old, ...others, young]) await insert(record);
    await pass(100_000);
    for (const other of OTHER_SCOPES) await journal.purge({ ...scope, ...other }, 'rejected', 50_000);
    await journal.replace((await storedEntry('young'))?.version ?? 0, young, 0);
    await journal.purge(scope, 'rejected', 50_000);
    await pass(100_000);
    await journal.purge(scope, 'rejected', 50_000);
    expect(await journal.purge(scope, 'tombstones', 50_000)).toBe(1);
    const left = await Promise.all([old, ...others, young].map((record) => journal.tombstone(record)));
    expect(left.map((tombstone) => tombstone?.end)).toEqual([undefined, 'rejected', 'rejected', 'rejected']);
    expect((await journal.insert(old, LEASE_MS)).inserted).toBe(true);
  },

  'leaves no tombstone of a payment that was taken out': async ({ journal, expect, insert }) => {
    const { record, version } = await insert(journalRecord('order-1'));
    await journal.remove(record, version);
    expect(await journal.tombstone(record)).toBeUndefined();
  },

  ...eachCase(FORGETTABLE, ([what, forgotten]) => [
    `purges ${what} if it is asked to, and nothing else`,
    async ({ journal, pass, expect, insert, storedEntry }: JournalTest) => {
      const scope = { account: 'default', environment: 'sandbox' } as const;
      const families = ['collection', 'disbursement'] as const;
      const records = families.flatMap((family) =>
        STATES.map((state) => journalRecord(`${family} ${state}`, { family, state })),
      );
      for (const record of records) await insert(record);
      for (const other of OTHER_SCOPES) for (const record of records) await insert({ ...record, ...other });
      const retried = await insert(journalRecord('retried', { state: 'in-flight' }));
      await pass(100_000);
      for (const state of ['accepted', 'rejected'] as const) {
        await insert(journalRecord(`young ${state}`, { family: 'disbursement', state }));
      }
      await journal.replace(retried.version, journalRecord('retried', { state: 'rejected' }), 0);
      expect(await journal.purge(scope, what, 50_000)).toBe(forgotten.length);
      for (const record of records) {
        const isForgotten = (forgotten as readonly string[]).includes(record.reference);
        expect([record.reference, (await journal.get(record)) === undefined]).toEqual([
          record.reference,
          isForgotten,
        ]);
        for (const other of OTHER_SCOPES) expect(await journal.get({ ...record, ...other })).toBeDefined();
      }
      expect(await storedEntry('retried')).toBeDefined();
      const young = await journal.list({ ...SCOPE, family: 'disbursement' }, allBut('accepted'), {
        limit: 9,
      });
      expect(young.entries.some(({ record }) => record.reference === 'young accepted')).toBe(true);
      const inState = what === 'rejected' ? 'rejected' : 'accepted';
      const { entries } = await journal.list({ ...SCOPE, family: 'disbursement' }, allBut(inState), {
        limit: 9,
      });
      expect(entries.map(({ record }) => record.reference)).toEqual([`young ${inState}`]);
    },
  ]),
};
