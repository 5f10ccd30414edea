import { type JournalRecord } from '../../storage/journal-store.js';
import { ALIKE_REFERENCES, longText } from './alike-texts.js';
import { type Cases } from './contract-framework.js';
import { allBut, JOURNAL_SCOPE as SCOPE, journalRecord, type JournalTest, LEASE_MS } from './journal-test.js';
import { measureTime } from './passed-time.js';

/** What no payment has at once: a store keeps it anyway. */
const EVERY_FIELD: Required<JournalRecord> = {
  ...SCOPE,
  reference: 'order-1',
  operation: 'collection.mobile-money',
  amount: '1180.50',
  currency: 'TZS',
  attempt: 1,
  idempotencyKey: '0c5a1f6e-7d0b-5e57-8f5c-7a3f0d3f9b11',
  intent: 'a-call',
  bodyHash: '1:abc',
  state: 'settled',
  outcome: 'success',
  endedAt: 1_790_000_060_000,
  settledBy: 'webhook',
  providerReference: 'a'.repeat(64),
  evidence: 'no-answer',
  keepsKey: true,
  turnedAway: true,
  probe: 'after-silence',
  sent: true,
  plannedAt: 1_790_000_000_000,
  begunAtByProcess: 1_790_000_030_000,
  baseUrl: 'https://gateway.example/api/v1',
  body: '{"reference":"…"}',
  answer: '{"data":{}}',
  acknowledged: true,
  stale: true,
  counted: true,
  countedOn: 20_000,
  erased: true,
};

/** Payments are written once, and changed only by who knows their version. */
export const JOURNAL_WRITING: Cases<JournalTest> = {
  'gives back a record as it was written, with every field': async ({
    journal,
    expect,
    insert,
    storedEntry,
  }) => {
    const { version, record } = await insert(EVERY_FIELD);
    expect(record).toEqual(EVERY_FIELD);
    expect((await storedEntry('order-1'))?.record).toEqual(EVERY_FIELD);
    const again = await journal.insert(journalRecord('order-1'), 0);
    expect(again.stored?.record).toEqual(EVERY_FIELD);
    const next = { ...EVERY_FIELD, attempt: 2 };
    expect((await journal.replace(version, next, 0))?.record).toEqual(next);
    expect((await storedEntry('order-1'))?.record).toEqual(next);
    const { entries } = await journal.list(SCOPE, [], { limit: 9 });
    expect(entries.map((entry) => entry.record)).toEqual([next]);
    expect(await storedEntry('order-2')).toBeUndefined();
  },

  'gives back a request and an answer of 64 KiB as they were written': async ({
    journal,
    expect,
    insert,
    storedEntry,
  }) => {
    const long = journalRecord('order-1', { body: longText(65_536), answer: longText(65_600) });
    const { version } = await insert(long);
    expect((await storedEntry('order-1'))?.record).toEqual(long);
    const next = { ...long, body: longText(65_700) };
    await journal.replace(version, next, 0);
    expect((await storedEntry('order-1'))?.record).toEqual(next);
  },

  'lets any process act on a payment that is written down without a lease': async ({
    journal,
    expect,
    insert,
    storedEntry,
  }) => {
    const inserted = await insert(journalRecord('order-1', { state: 'planned' }), 0);
    const { entries } = await journal.list(SCOPE, allBut('planned'), { limit: 9 });
    const leases = [inserted, await storedEntry('order-1'), ...entries].map((entry) => entry?.leaseLeftMs);
    expect(leases).toEqual([0, 0, 0]);
  },

  'lets one of many write a payment down first, and gives the others its record': async ({
    journal,
    expect,
  }) => {
    const results = await Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        journal.insert(journalRecord('order-1', { idempotencyKey: `key-${index}` }), LEASE_MS),
      ),
    );
    const winner = results.find(({ inserted }) => inserted);
    expect(results.filter(({ inserted }) => inserted)).toHaveLength(1);
    expect(new Set(results.map(({ stored }) => stored?.record.idempotencyKey))).toEqual(
      new Set([winner?.stored?.record.idempotencyKey]),
    );
  },

  'lets one of many replace the same version': async ({ journal, expect, insert }) => {
    const { version, record } = await insert(journalRecord('order-1'));
    const results = await Promise.all(
      Array.from({ length: 50 }, () => journal.replace(version, { ...record, state: 'unknown' }, 0)),
    );
    expect(results.filter((stored) => stored !== undefined)).toHaveLength(1);
  },

  'replaces only the current version': async ({ journal, expect, insert, storedEntry }) => {
    const first = await insert(journalRecord('order-1'));
    const second = await journal.replace(first.version, journalRecord('order-1', { state: 'unknown' }), 0);
    expect(
      await journal.replace(first.version, journalRecord('order-1', { state: 'rejected' }), 0),
    ).toBeUndefined();
    expect((await storedEntry('order-1'))?.record.state).toBe('unknown');
    expect((await storedEntry('order-1'))?.version).toBe(second?.version);
    expect(await journal.replace(1, journalRecord('nobody'), 0)).toBeUndefined();
  },

  'forgets a field that the new record leaves out': async ({ journal, expect, insert, storedEntry }) => {
    const { version, record } = await insert(journalRecord('order-1'));
    const { body, probe, ...rest } = record;
    await journal.replace(version, rest, 0);
    expect((await storedEntry('order-1'))?.record).toEqual(rest);
    expect([body === undefined, probe === undefined]).toEqual([false, false]);
  },

  'removes only the current version': async ({ journal, expect, insert, storedEntry }) => {
    const first = await insert(journalRecord('order-1'));
    const second = await journal.replace(first.version, first.record, 0);
    expect(await journal.remove(first.record, first.version)).toBe(false);
    expect(await journal.remove(first.record, second?.version ?? 0)).toBe(true);
    expect(await storedEntry('order-1')).toBeUndefined();
    expect(await journal.remove(first.record, second?.version ?? 0)).toBe(false);
  },

  'never gives a version again, so that a late writer does not hit a later payment': async ({
    journal,
    expect,
    insert,
  }) => {
    const first = await insert(journalRecord('order-1'));
    await journal.remove(first.record, first.version);
    const again = await insert(journalRecord('order-1'));
    expect(again.version).not.toBe(first.version);
    expect(await journal.replace(first.version, first.record, 0)).toBeUndefined();
    expect(await journal.remove(first.record, first.version)).toBe(false);
  },

  'tells the time by its own clock': async ({ pass, expect, insert, storedEntry }) => {
    const expectPassed = measureTime(expect);
    const first = await insert(journalRecord('order-1'), 5_000);
    expect(first.createdAt).toBe(first.updatedAt);
    await pass(2_000);
    const later = await storedEntry('order-1');
    expect(later?.createdAt).toBe(first.createdAt);
    expectPassed(later?.ageMs, 2_000);
    expectPassed(later?.idleMs, 2_000);
    expectPassed(5_000 - (later?.leaseLeftMs ?? 0), 2_000);
    await pass(10_000);
    expect((await storedEntry('order-1'))?.leaseLeftMs).toBe(0);
  },

  'keeps the age over a change, ends or renews the lease, and restarts the age with another attempt': async ({
    journal,
    pass,
    expect,
    insert,
  }) => {
    const expectPassed = measureTime(expect);
    const first = await insert(journalRecord('order-1'));
    await pass(60_000);
    const unknown = await journal.replace(first.version, journalRecord('order-1', { state: 'unknown' }), 0);
    expect(unknown?.leaseLeftMs).toBe(0);
    expectPassed(unknown?.ageMs, 60_000);
    expectPassed(unknown?.idleMs, 0);
    const next = await journal.replace(
      unknown?.version ?? 0,
      journalRecord('order-1', { attempt: 2 }),
      7_000,
    );
    expectPassed(next?.ageMs, 0);
    expectPassed(7_000 - (next?.leaseLeftMs ?? 0), 0);
    expect(next?.createdAt).toBe(first.createdAt);
  },

  'restarts the age if another call makes the same attempt again': async ({
    journal,
    pass,
    expect,
    insert,
  }) => {
    const expectPassed = measureTime(expect);
    const first = await insert(journalRecord('order-1', { state: 'rejected', keepsKey: true }));
    await pass(60_000);
    const again = journalRecord('order-1', { intent: 'another call' });
    const begun = await journal.replace(first.version, again, 0);
    expectPassed(begun?.ageMs, 0);
    await pass(1_000);
    const unknown = await journal.replace(begun?.version ?? 0, { ...again, state: 'unknown' }, 0);
    expectPassed(unknown?.ageMs, 1_000);
    expect(unknown?.createdAt).toBe(first.createdAt);
  },

  'keeps accounts, environments, families and references apart': async ({ journal, expect, insert }) => {
    await insert(journalRecord('order-1'));
    for (const record of [
      journalRecord('order-2'),
      journalRecord('order-1', { account: 'payouts' }),
      journalRecord('order-1', { environment: 'production' }),
      journalRecord('order-1', { family: 'disbursement' }),
    ]) {
      expect((await journal.insert(record, 0)).inserted).toBe(true);
    }
    expect((await journal.list(SCOPE, allBut('in-flight'), { limit: 10 })).entries).toHaveLength(2);
  },

  'keeps references apart that are only alike, also those that come at the same time': async ({
    journal,
    expect,
    storedEntry,
  }) => {
    const references = ALIKE_REFERENCES.flat();
    const results = await Promise.all(
      references.map((reference) => journal.insert(journalRecord(reference, { intent: reference }), 0)),
    );
    expect(results.filter(({ inserted }) => inserted)).toHaveLength(references.length);
    for (const reference of references) {
      expect((await storedEntry(reference))?.record).toMatchObject({ reference, intent: reference });
    }
    const { entries } = await journal.list(SCOPE, [], { limit: 99 });
    expect(entries.map(({ record }) => record.reference).sort()).toEqual([...references].sort());
  },

  'writes a payment down whose reference is only like one that was forgotten': async ({
    journal,
    pass,
    expect,
    insert,
  }) => {
    for (const [first] of ALIKE_REFERENCES) {
      await insert(journalRecord(first, { state: 'settled', outcome: 'success', settledBy: 'webhook' }), 0);
    }
    await pass(10_000);
    expect(await journal.purge(SCOPE, 'settled', 5_000)).toBe(ALIKE_REFERENCES.length);
    for (const reference of ALIKE_REFERENCES.flatMap(([, ...others]) => others)) {
      expect(await journal.tombstone(journalRecord(reference))).toBeUndefined();
      expect((await journal.insert(journalRecord(reference), 0)).inserted).toBe(true);
    }
  },

  'takes any text as a reference': async ({ expect, insert, storedEntry }) => {
    for (const reference of ['__proto__', 'a:b', '"', "' OR 1=1 --", '\u{1F4B8}', 'x'.repeat(255)]) {
      await insert(journalRecord(reference));
      expect((await storedEntry(reference))?.record.reference).toBe(reference);
    }
  },
};
