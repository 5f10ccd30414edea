import { beforeEach, expect, it } from 'vitest';
import {
  type JournalInsertion,
  type JournalRecord,
  type JournalScope,
  type JournalStore,
  type StoredJournalRecord,
  type JournalState,
} from 'nestjs-payments';
import { measureTime } from './passed-time.js';

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
    sent: true,
    body: '{"reference":"…"}',
    ...change,
  };
}

/** The record after an insertion that no tombstone stopped. */
export function storedBy({ stored }: JournalInsertion): StoredJournalRecord {
  if (!stored) throw new Error('The journal has forgotten this payment.');
  return stored;
}

const STATES: readonly JournalState[] = ['in-flight', 'accepted', 'rejected', 'unknown', 'settled'];

/** What `list` is to leave out, so that it gives the payments in these states, and those in states that nobody knows. */
export function allBut(...states: readonly JournalState[]): readonly JournalState[] {
  return STATES.filter((state) => !states.includes(state));
}

/** What every journal promises. Call it inside a `describe`. */
export function journalContract(open: () => Promise<JournalUnderTest> | JournalUnderTest): void {
  let journal: JournalStore;
  let pass: JournalUnderTest['pass'];

  const insert = async (record: JournalRecord, leaseMs = LEASE_MS): Promise<StoredJournalRecord> =>
    storedBy(await journal.insert(record, leaseMs));
  const storedEntry = (reference: string): Promise<StoredJournalRecord | undefined> =>
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
    expect((await storedEntry('order-1'))?.record).toEqual(record);
    expect(await storedEntry('order-2')).toBeUndefined();
  });

  it('lets one of many write a payment down first, and gives the others its record', async () => {
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
  });

  it('lets one of many replace the same version', async () => {
    const { version, record } = await insert(journalRecord('order-1'));
    const results = await Promise.all(
      Array.from({ length: 50 }, () => journal.replace(version, { ...record, state: 'unknown' }, 0)),
    );
    expect(results.filter((stored) => stored !== undefined)).toHaveLength(1);
  });

  it('replaces only the current version', async () => {
    const first = await insert(journalRecord('order-1'));
    const second = await journal.replace(first.version, journalRecord('order-1', { state: 'unknown' }), 0);
    expect(
      await journal.replace(first.version, journalRecord('order-1', { state: 'rejected' }), 0),
    ).toBeUndefined();
    expect((await storedEntry('order-1'))?.record.state).toBe('unknown');
    expect((await storedEntry('order-1'))?.version).toBe(second?.version);
    expect(await journal.replace(1, journalRecord('nobody'), 0)).toBeUndefined();
  });

  it('forgets a field that the new record leaves out', async () => {
    const { version, record } = await insert(journalRecord('order-1'));
    const { body, probe, ...rest } = record;
    await journal.replace(version, rest, 0);
    expect((await storedEntry('order-1'))?.record).toEqual(rest);
    expect([body, probe]).not.toContain(undefined);
  });

  it('removes only the current version', async () => {
    const first = await insert(journalRecord('order-1'));
    const second = await journal.replace(first.version, first.record, 0);
    expect(await journal.remove(first.record, first.version)).toBe(false);
    expect(await journal.remove(first.record, second?.version ?? 0)).toBe(true);
    expect(await storedEntry('order-1')).toBeUndefined();
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
    const expectPassed = measureTime();
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
  });

  it('keeps the age over a change, ends or renews the lease, and restarts the age with another attempt', async () => {
    const expectPassed = measureTime();
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
  });

  it('restarts the age if another call makes the same attempt again', async () => {
    const expectPassed = measureTime();
    const first = await insert(journalRecord('order-1', { state: 'rejected', keepsKey: true }));
    await pass(60_000);
    const again = journalRecord('order-1', { intent: 'another call' });
    const begun = await journal.replace(first.version, again, 0);
    expectPassed(begun?.ageMs, 0);
    await pass(1_000);
    const unknown = await journal.replace(begun?.version ?? 0, { ...again, state: 'unknown' }, 0);
    expectPassed(unknown?.ageMs, 1_000);
    expect(unknown?.createdAt).toBe(first.createdAt);
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
    expect((await journal.list(SCOPE, allBut('in-flight'), { limit: 10 })).entries).toHaveLength(2);
  });

  it('takes any text as a reference', async () => {
    for (const reference of ['__proto__', 'a:b', '"', "' OR 1=1 --", '\u{1F4B8}', 'x'.repeat(255)]) {
      await insert(journalRecord(reference));
      expect((await storedEntry(reference))?.record.reference).toBe(reference);
    }
  });

  it('lists page by page, the oldest first, each once', async () => {
    const references = ['one', 'two', 'three', 'four', 'five'];
    for (const reference of references) {
      await insert(journalRecord(reference));
      await pass(10);
    }
    const seen: string[] = [];
    let after: string | undefined;
    do {
      const page = await journal.list(SCOPE, allBut('in-flight'), { limit: 2, ...(after && { after }) });
      expect(page.entries.length).toBeLessThanOrEqual(2);
      seen.push(...page.entries.map(({ record }) => record.reference));
      // What changes in between takes nothing away from the others.
      const two = await storedEntry('two');
      if (two && !after) await journal.replace(two.version, journalRecord('two', { state: 'unknown' }), 0);
      after = page.next;
    } while (after);
    expect(seen).toEqual(references);
    const unknown = await journal.list(SCOPE, allBut('unknown'), { limit: 2 });
    expect(unknown.entries.map(({ record }) => record.reference)).toEqual(['two']);
    expect(unknown.next).toBeUndefined();
  });

  it('lists a payment that moves on between two pages once, whatever it moves to', async () => {
    for (const reference of ['one', 'two', 'three', 'four']) {
      await insert(journalRecord(reference));
      await pass(10);
    }
    const first = await journal.list(SCOPE, ['settled', 'rejected'], { limit: 2 });
    for (const [reference, state] of [
      ['one', 'unknown'],
      ['three', 'accepted'],
      ['four', 'settled'],
    ] as const) {
      await journal.replace(
        (await storedEntry(reference))?.version ?? 0,
        journalRecord(reference, { state }),
        0,
      );
    }
    const rest = await journal.list(SCOPE, ['settled', 'rejected'], { limit: 2, after: first.next ?? '' });
    const listed = [first, rest].flatMap(({ entries }) => entries.map(({ record }) => record.reference));
    expect(listed).toEqual(['one', 'two', 'three']);
    expect(rest.next).toBeUndefined();
  });

  it('lists states that only a newer version knows, and lets them be changed', async () => {
    const newer = 'on-hold' as JournalState;
    await insert(journalRecord('known', { state: 'unknown' }));
    await pass(10);
    const { version } = await insert(journalRecord('newer', { state: newer }));
    await pass(10);
    await insert(journalRecord('later'));
    const listed = async (): Promise<string[]> =>
      (await journal.list(SCOPE, ['settled', 'rejected', 'accepted'], { limit: 9 })).entries.map(
        ({ record }) => record.reference,
      );
    expect(await listed()).toEqual(['known', 'newer', 'later']);
    const next = await journal.replace(version, journalRecord('newer', { state: newer, attempt: 2 }), 0);
    expect(await listed()).toEqual(['known', 'newer', 'later']);
    await journal.replace(next?.version ?? 0, journalRecord('newer', { state: 'settled' }), 0);
    expect(await listed()).toEqual(['known', 'later']);
    const again = await insert(journalRecord('again', { state: newer }));
    expect(await journal.remove(again.record, again.version)).toBe(true);
    expect(await listed()).toEqual(['known', 'later']);
  });

  it.each<JournalState>(['in-flight', 'accepted', 'rejected', 'unknown', 'settled'])(
    'lists what is %s, and nothing else',
    async (state) => {
      for (const other of STATES) await insert(journalRecord(other, { state: other }));
      const { entries } = await journal.list(SCOPE, allBut(state), { limit: 10 });
      expect(entries.map(({ record }) => record.reference)).toEqual([state]);
    },
  );

  it('lists a settled payment again that becomes unknown, and neither purges it nor leaves a tombstone', async () => {
    const settled = { state: 'settled', outcome: 'failed', settledBy: 'operator' } as const;
    const { probe: _probe, sent: _sent, body: _body, ...rest } = journalRecord('order-1');
    const first = await insert({ ...rest, ...settled }, 0);
    await insert(journalRecord('order-2', settled), 0);
    expect((await journal.list(SCOPE, allBut('unknown'), { limit: 10 })).entries).toEqual([]);
    const open: JournalRecord = { ...rest, state: 'unknown', evidence: 'conflict', acknowledged: true };
    expect((await journal.replace(first.version, open, 0))?.record).toEqual(open);
    expect((await storedEntry('order-1'))?.record).toEqual(open);
    const { entries } = await journal.list(SCOPE, allBut('unknown'), { limit: 10 });
    expect(entries.map(({ record }) => record)).toEqual([open]);
    await pass(1_000);
    expect(await journal.purge(SCOPE, 'settled', 500)).toBe(1);
    expect((await storedEntry('order-1'))?.record).toEqual(open);
    expect(await journal.tombstone(open)).toBeUndefined();
  });

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
    expect(await storedEntry('old')).toBeUndefined();
    expect((await journal.list(SCOPE, allBut('settled'), { limit: 10 })).entries).toHaveLength(1);
    for (const reference of ['in-flight', 'accepted', 'rejected', 'unknown', 'settled late'])
      expect(await storedEntry(reference)).toBeDefined();
    expect(await journal.get(journalRecord('other', { account: 'payouts' }))).toBeDefined();
  });

  it.each([
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
  ] as const)(
    'keeps a tombstone of a payment that it forgot, %p, which nothing is written over',
    async (change, left) => {
      // What looks like a field in a text of the customer's is none.
      const answer = '{"outcome":"failed","settledBy":"status","keepsKey":true,"text":"a\\u0000b"}';
      const payment = journalRecord('order-1 "outcome":"failed","keepsKey":true', { ...change, answer });
      const what =
        payment.state === 'accepted' ? 'accepted-payouts' : (payment.state as 'settled' | 'rejected');
      await insert(payment);
      expect(await journal.tombstone(payment)).toBeUndefined();
      await pass(10_000);
      expect(await journal.purge(payment, what, 5_000)).toBe(1);
      const tombstone = { attempt: 1, ...left };
      expect(await journal.tombstone(payment)).toEqual(tombstone);
      expect(
        await journal.insert(journalRecord(payment.reference, { family: payment.family }), LEASE_MS),
      ).toEqual({
        inserted: false,
        tombstone,
      });
      expect(await journal.get(payment)).toBeUndefined();
      for (const other of [
        { account: 'payouts' },
        { environment: 'production' },
        { reference: 'order-2' },
      ] as const) {
        expect(await journal.tombstone({ ...payment, ...other })).toBeUndefined();
      }
    },
  );

  it('writes into a tombstone how the payment ended after all, keeps its attempt, and leaves none of its own', async () => {
    const refused = journalRecord('order-1', { state: 'rejected', attempt: 3 });
    const other = journalRecord('order-2', { state: 'rejected' });
    for (const record of [refused, other]) await insert(record);
    await pass(10_000);
    await journal.purge(refused, 'rejected', 5_000);
    await pass(3_000);
    const ended = { end: 'success', settledBy: 'webhook' } as const;
    await journal.endTombstone(refused, ended);
    expect(await journal.tombstone(refused)).toEqual({ attempt: 3, ...ended });
    expect(await journal.tombstone(other)).toEqual({ attempt: 1, end: 'rejected' });
    for (const unknown of [
      { account: 'payouts' },
      { environment: 'production' },
      { reference: 'order-3' },
    ] as const) {
      await journal.endTombstone({ ...refused, ...unknown }, ended);
      expect(await journal.tombstone({ ...refused, ...unknown })).toBeUndefined();
    }
    // As old as what it says now.
    await pass(3_000);
    expect(await journal.purge(refused, 'tombstones', 5_000)).toBe(1);
    expect(await journal.tombstone(refused)).toEqual({ attempt: 3, ...ended });
  });

  it('purges old tombstones if it is asked to', async () => {
    const scope = { account: 'default', environment: 'sandbox' } as const;
    const old = journalRecord('old', { state: 'rejected', family: 'disbursement' });
    const other = journalRecord('other', { state: 'rejected', account: 'payouts' });
    const young = journalRecord('young', { state: 'rejected' });
    for (const record of [old, other, young]) await insert(record);
    await pass(10_000);
    await journal.purge({ ...scope, account: 'payouts' }, 'rejected', 5_000);
    await journal.replace((await storedEntry('young'))?.version ?? 0, young, 0);
    await journal.purge(scope, 'rejected', 5_000);
    await pass(10_000);
    await journal.purge(scope, 'rejected', 5_000);
    expect(await journal.purge(scope, 'tombstones', 5_000)).toBe(1);
    const left = await Promise.all([old, other, young].map((record) => journal.tombstone(record)));
    expect(left.map((tombstone) => tombstone?.end)).toEqual([undefined, 'rejected', 'rejected']);
    expect((await journal.insert(old, LEASE_MS)).inserted).toBe(true);
  });

  it('leaves no tombstone of a payment that was taken out', async () => {
    const { record, version } = await insert(journalRecord('order-1'));
    await journal.remove(record, version);
    expect(await journal.tombstone(record)).toBeUndefined();
  });

  it.each([
    ['rejected', ['collection rejected', 'disbursement rejected']],
    ['accepted-payouts', ['disbursement accepted']],
  ] as const)('purges %s if it is asked to, and nothing else', async (what, forgotten) => {
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
    expect(await storedEntry('retried')).toBeDefined();
    const young = await journal.list({ ...SCOPE, family: 'disbursement' }, allBut('accepted'), { limit: 9 });
    expect(young.entries.some(({ record }) => record.reference === 'young accepted')).toBe(true);
    const inState = what === 'rejected' ? 'rejected' : 'accepted';
    const { entries } = await journal.list({ ...SCOPE, family: 'disbursement' }, allBut(inState), {
      limit: 9,
    });
    expect(entries.map(({ record }) => record.reference)).toEqual([`young ${inState}`]);
  });
}

/**
 * What every journal outside of the process promises about a payment whose record cannot be read. Call it inside a `describe`.
 *
 * @param damages How what is stored of a reference can be damaged, in the collections of the account `default`.
 */
export function damagedJournalContract(
  open: () => Promise<JournalUnderTest> | JournalUnderTest,
  damages: readonly (readonly [how: string, damage: (reference: string) => Promise<unknown>])[],
): void {
  it.each(damages)(
    'an operator can end a payment whose %s, and nobody can make it again',
    async (_, damage) => {
      const { journal } = await open();
      await journal.insert(journalRecord('order-1'), 0);
      await damage('order-1');
      const listed = async (...states: readonly JournalState[]): Promise<readonly StoredJournalRecord[]> =>
        (await journal.list(SCOPE, states, { limit: 9 })).entries;
      const [found] = await listed('settled');
      const existing = await journal.get(journalRecord('order-1'));
      expect(found).toMatchObject({
        damaged: expect.any(String) as unknown,
        record: { reference: 'order-1' },
      });
      expect(existing).toMatchObject({ damaged: found?.damaged, version: found?.version });
      expect(await journal.insert(journalRecord('order-1'), 0)).toMatchObject({
        inserted: false,
        stored: { damaged: found?.damaged },
      });
      expect(await journal.remove(journalRecord('order-1'), 0)).toBe(false);
      const ended = journalRecord('order-1', { state: 'settled', outcome: 'failed', settledBy: 'operator' });
      const writers = Array.from({ length: 5 }, () => journal.replace(existing?.version ?? -1, ended, 0));
      expect((await Promise.all(writers)).filter((stored) => stored !== undefined)).toHaveLength(1);
      const after = await journal.get(journalRecord('order-1'));
      expect(after?.record).toEqual(ended);
      expect(after).not.toHaveProperty('damaged');
      expect(after?.version).not.toBe(existing?.version);
      expect(await listed('settled')).toEqual([]);
      expect((await listed()).map(({ record }) => record.reference)).toEqual(['order-1']);
      expect(await journal.purge(SCOPE, 'settled', -1)).toBe(1);
      expect(await listed()).toEqual([]);
    },
  );
}
