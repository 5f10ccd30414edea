import { beforeEach, expect, it } from '@jest/globals';
import {
  type JournalRecord,
  type JournalScope,
  type JournalState,
  type JournalStore,
  type StoredJournalRecord,
} from '../../lib/common/journal-port.js';

/** A journal under test, with a clock that the suite can move. */
export interface JournalUnderTest {
  readonly journal: JournalStore;
  /** Lets `ms` pass for the store. */
  pass(ms: number): Promise<void> | void;
}

const SCOPE: JournalScope = { account: 'default', environment: 'sandbox', family: 'collection' };
const LEASE_MS = 90_000;

export function journalRecord(reference: string, change: Partial<JournalRecord> = {}): JournalRecord {
  return {
    ...SCOPE,
    reference,
    operation: 'collection.mobile-money',
    amount: '1180.50',
    currency: 'TZS',
    attempt: 1,
    idempotencyKey: '0c5a1f6e-7d0b-5e57-8f5c-7a3f0d3f9b11',
    intent: 'a-call',
    bodyHash: '1:abc',
    state: 'in-flight',
    probe: 'after-silence',
    body: '{"reference":"…"}',
    ...change,
  };
}

/** What every journal promises. Call it inside a `describe`. */
export function journalContract(open: () => Promise<JournalUnderTest> | JournalUnderTest): void {
  let journal: JournalStore;
  let pass: JournalUnderTest['pass'];

  const insert = async (record: JournalRecord, leaseMs = LEASE_MS): Promise<StoredJournalRecord> =>
    (await journal.insert(record, leaseMs)).stored;
  const stands = (reference: string): Promise<StoredJournalRecord | undefined> =>
    journal.get(journalRecord(reference));

  beforeEach(async () => {
    const subject = await open();
    journal = subject.journal;
    pass = (ms) => subject.pass(ms);
  });

  it('gives back a record as it was written', async () => {
    const record = journalRecord('order-1', {
      state: 'settled',
      outcome: 'success',
      settledBy: 'webhook',
      evidence: 'no-answer',
      answer: '{"data":{}}',
      stale: true,
    });
    await insert(record);
    expect((await stands('order-1'))?.record).toEqual(record);
    expect(await stands('order-2')).toBeUndefined();
  });

  it('lets one of many write a payment down first, and shows the others what stands', async () => {
    const results = await Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        journal.insert(journalRecord('order-1', { idempotencyKey: `key-${index}` }), LEASE_MS),
      ),
    );
    const winner = results.find(({ inserted }) => inserted);
    expect(results.filter(({ inserted }) => inserted)).toHaveLength(1);
    expect(new Set(results.map(({ stored }) => stored.record.idempotencyKey))).toEqual(
      new Set([winner?.stored.record.idempotencyKey]),
    );
  });

  it('lets one of many replace the same version', async () => {
    const { version, record } = await insert(journalRecord('order-1'));
    const results = await Promise.all(
      Array.from({ length: 50 }, () => journal.replace(version, { ...record, state: 'unknown' }, 0)),
    );
    expect(results.filter((stored) => stored !== undefined)).toHaveLength(1);
  });

  it('replaces only the version that stands', async () => {
    const first = await insert(journalRecord('order-1'));
    const second = await journal.replace(first.version, journalRecord('order-1', { state: 'unknown' }), 0);
    expect(
      await journal.replace(first.version, journalRecord('order-1', { state: 'rejected' }), 0),
    ).toBeUndefined();
    expect((await stands('order-1'))?.record.state).toBe('unknown');
    expect((await stands('order-1'))?.version).toBe(second?.version);
    expect(await journal.replace(1, journalRecord('nobody'), 0)).toBeUndefined();
  });

  it('forgets a field that the new record leaves out', async () => {
    const { version, record } = await insert(journalRecord('order-1'));
    const { body, probe, ...rest } = record;
    await journal.replace(version, rest, 0);
    expect((await stands('order-1'))?.record).toEqual(rest);
    expect([body, probe]).not.toContain(undefined);
  });

  it('removes only the version that stands', async () => {
    const first = await insert(journalRecord('order-1'));
    const second = await journal.replace(first.version, first.record, 0);
    expect(await journal.remove(first.record, first.version)).toBe(false);
    expect(await journal.remove(first.record, second?.version ?? 0)).toBe(true);
    expect(await stands('order-1')).toBeUndefined();
    expect(await journal.remove(first.record, second?.version ?? 0)).toBe(false);
  });

  it('never gives a version again, so that a late writer does not hit a later payment', async () => {
    const first = await insert(journalRecord('order-1'));
    await journal.remove(first.record, first.version);
    const again = await insert(journalRecord('order-1'));
    expect(again.version).not.toBe(first.version);
    expect(await journal.replace(first.version, first.record, 0)).toBeUndefined();
    expect(await journal.remove(first.record, first.version)).toBe(false);
  });

  it('tells the time by its own clock', async () => {
    const first = await insert(journalRecord('order-1'), 5_000);
    expect(first.createdAt).toBe(first.updatedAt);
    await pass(2_000);
    const later = await stands('order-1');
    expect(later?.createdAt).toBe(first.createdAt);
    expect(Math.abs((later?.ageMs ?? 0) - 2_000)).toBeLessThan(1_000);
    expect(Math.abs((later?.idleMs ?? 0) - 2_000)).toBeLessThan(1_000);
    expect(Math.abs((later?.leaseLeftMs ?? 0) - 3_000)).toBeLessThan(1_000);
    await pass(10_000);
    expect((await stands('order-1'))?.leaseLeftMs).toBe(0);
  });

  it('keeps the age over a change, ends or renews the lease, and begins anew with another attempt', async () => {
    const first = await insert(journalRecord('order-1'));
    await pass(60_000);
    const unknown = await journal.replace(first.version, journalRecord('order-1', { state: 'unknown' }), 0);
    expect(unknown?.leaseLeftMs).toBe(0);
    expect(unknown?.ageMs).toBeGreaterThanOrEqual(59_000);
    expect(unknown?.idleMs).toBeLessThan(1_000);
    const next = await journal.replace(
      unknown?.version ?? 0,
      journalRecord('order-1', { attempt: 2 }),
      7_000,
    );
    expect(next?.ageMs).toBeLessThan(1_000);
    expect(Math.abs((next?.leaseLeftMs ?? 0) - 7_000)).toBeLessThan(1_000);
    expect(next?.createdAt).toBe(first.createdAt);
  });

  it('keeps accounts, environments, families and references apart', async () => {
    await insert(journalRecord('order-1'));
    for (const record of [
      journalRecord('order-2'),
      journalRecord('order-1', { account: 'payouts' }),
      journalRecord('order-1', { environment: 'production' }),
      journalRecord('order-1', { family: 'disbursement' }),
    ]) {
      expect((await journal.insert(record, 0)).inserted).toBe(true);
    }
    expect((await journal.list(SCOPE, 'in-flight', { limit: 10 })).entries).toHaveLength(2);
  });

  it('takes any text as a reference', async () => {
    for (const reference of ['__proto__', 'a:b', '"', "' OR 1=1 --", '\u{1F4B8}', 'x'.repeat(255)]) {
      await insert(journalRecord(reference));
      expect((await stands(reference))?.record.reference).toBe(reference);
    }
  });

  it('lists one state page by page, the oldest first, each once', async () => {
    const references = ['one', 'two', 'three', 'four', 'five'];
    for (const reference of references) {
      await insert(journalRecord(reference));
      await pass(10);
    }
    const seen: string[] = [];
    let after: string | undefined;
    do {
      const page = await journal.list(SCOPE, 'in-flight', { limit: 2, ...(after && { after }) });
      expect(page.entries.length).toBeLessThanOrEqual(2);
      seen.push(...page.entries.map(({ record }) => record.reference));
      // What changes in between takes nothing away from the others.
      const two = await stands('two');
      if (two && !after) await journal.replace(two.version, journalRecord('two', { state: 'unknown' }), 0);
      after = page.next;
    } while (after);
    expect(seen).toEqual(references);
    const unknown = await journal.list(SCOPE, 'unknown', { limit: 2 });
    expect(unknown.entries.map(({ record }) => record.reference)).toEqual(['two']);
    expect(unknown.next).toBeUndefined();
  });

  it.each<JournalState>(['in-flight', 'accepted', 'rejected', 'unknown', 'settled'])(
    'lists what is %s, and nothing else',
    async (state) => {
      for (const other of ['in-flight', 'accepted', 'rejected', 'unknown', 'settled'] as const)
        await insert(journalRecord(other, { state: other }));
      const { entries } = await journal.list(SCOPE, state, { limit: 10 });
      expect(entries.map(({ record }) => record.reference)).toEqual([state]);
    },
  );

  it('purges settled payments of one account that did not change for long, and nothing else', async () => {
    const scope = { account: 'default', environment: 'sandbox' } as const;
    const settledOne = { state: 'settled', outcome: 'success' } as const;
    for (const state of ['in-flight', 'accepted', 'rejected', 'unknown'] as const)
      await insert(journalRecord(state, { state }));
    await insert(journalRecord('old', settledOne));
    await insert(journalRecord('old payout', { ...settledOne, family: 'disbursement' }));
    await insert(journalRecord('other', { ...settledOne, account: 'payouts' }));
    const late = await insert(journalRecord('settled late'));
    await pass(10_000);
    await journal.replace(late.version, journalRecord('settled late', settledOne), 0);
    expect(await journal.purge(scope, 'settled', 5_000)).toBe(2);
    expect(await stands('old')).toBeUndefined();
    expect((await journal.list(SCOPE, 'settled', { limit: 10 })).entries).toHaveLength(1);
    for (const reference of ['in-flight', 'accepted', 'rejected', 'unknown', 'settled late'])
      expect(await stands(reference)).toBeDefined();
    expect(await journal.get(journalRecord('other', { account: 'payouts' }))).toBeDefined();
    expect((await journal.insert(journalRecord('old'), 0)).inserted).toBe(true);
  });

  it.each([
    ['rejected', ['collection rejected', 'disbursement rejected']],
    ['accepted-payouts', ['disbursement accepted']],
  ] as const)('purges %s where it is asked to, and nothing else', async (what, forgotten) => {
    const scope = { account: 'default', environment: 'sandbox' } as const;
    const families = ['collection', 'disbursement'] as const;
    const states = ['in-flight', 'accepted', 'rejected', 'unknown', 'settled'] as const;
    const records = families.flatMap((family) =>
      states.map((state) => journalRecord(`${family} ${state}`, { family, state })),
    );
    for (const record of records) await insert(record);
    for (const record of records) await insert({ ...record, account: 'payouts' });
    const retried = await insert(journalRecord('retried', { state: 'in-flight' }));
    await pass(10_000);
    for (const state of ['accepted', 'rejected'] as const) {
      await insert(journalRecord(`young ${state}`, { family: 'disbursement', state }));
    }
    await journal.replace(retried.version, journalRecord('retried', { state: 'rejected' }), 0);
    expect(await journal.purge(scope, what, 5_000)).toBe(forgotten.length);
    for (const record of records) {
      const isForgotten = (forgotten as readonly string[]).includes(record.reference);
      expect([record.reference, (await journal.get(record)) === undefined]).toEqual([
        record.reference,
        isForgotten,
      ]);
      expect(await journal.get({ ...record, account: 'payouts' })).toBeDefined();
    }
    expect(await stands('retried')).toBeDefined();
    const young = await journal.list({ ...SCOPE, family: 'disbursement' }, 'accepted', { limit: 9 });
    expect(young.entries.some(({ record }) => record.reference === 'young accepted')).toBe(true);
    const inState = what === 'rejected' ? 'rejected' : 'accepted';
    const { entries } = await journal.list({ ...SCOPE, family: 'disbursement' }, inState, { limit: 9 });
    expect(entries.map(({ record }) => record.reference)).toEqual([`young ${inState}`]);
  });
}
