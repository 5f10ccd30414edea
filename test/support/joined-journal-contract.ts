import { beforeEach, expect, it } from 'vitest';
import { type JournalInTransaction, type JournalScope } from 'nestjs-payments';
import { type JournalUnderTest } from 'nestjs-payments/testing';
import { journalRecord, storedBy } from './journal-contract.js';

const SCOPE: JournalScope = { account: 'default', environment: 'sandbox', family: 'collection' };
const ENDED = ['accepted', 'rejected', 'unknown', 'settled'] as const;

/** A transaction of the application, beside the journal. */
export interface ApplicationTransaction {
  /** What `within` takes. */
  readonly handle: unknown;
  commit(): unknown;
  rollback(): unknown;
}

/** A journal whose database has transactions of the application. */
export interface JoinedJournalUnderTest extends JournalUnderTest {
  begin(): Promise<ApplicationTransaction> | ApplicationTransaction;
}

/** What every journal with `within` promises. Call it inside a `describe`. */
export function joinedJournalContract(
  open: () => Promise<JoinedJournalUnderTest> | JoinedJournalUnderTest,
): void {
  const planned = journalRecord('order-1', { state: 'planned' });
  let subject: JoinedJournalUnderTest;
  let transaction: ApplicationTransaction;
  let joined: JournalInTransaction;

  beforeEach(async () => {
    subject = await open();
    transaction = await subject.begin();
    joined = (await subject.journal.within?.(transaction.handle))!;
  });

  it('shows others what a transaction wrote when it is committed, and not before', async () => {
    expect(await joined.insert(planned, 0)).toMatchObject({ inserted: true, stored: { record: planned } });
    expect(await subject.journal.get(planned)).toBeUndefined();
    await transaction.commit();
    expect((await subject.journal.get(planned))?.record).toEqual(planned);
    const { entries } = await subject.journal.list(SCOPE, ENDED, { limit: 9 });
    expect(entries.map(({ record }) => record)).toEqual([planned]);
  });

  it('keeps nothing of a transaction that is rolled back, a change neither', async () => {
    await joined.insert(planned, 0);
    await transaction.rollback();
    expect(await subject.journal.get(planned)).toBeUndefined();
    const refused = journalRecord('order-1', { state: 'rejected' });
    const { version } = storedBy(await subject.journal.insert(refused, 0));
    const second = await subject.begin();
    const again = await subject.journal.within?.(second.handle);
    expect((await again?.replace(version, planned, 0))?.record).toEqual(planned);
    await second.rollback();
    expect(await subject.journal.get(planned)).toMatchObject({ record: refused, version });
  });

  it('gives the transaction a record that exists, its own too, and replaces only its version', async () => {
    const { version } = storedBy(await joined.insert(planned, 0));
    const twice = await joined.insert(journalRecord('order-1', { intent: 'another call' }), 0);
    expect(twice).toMatchObject({ inserted: false, stored: { version, record: planned } });
    expect(await joined.replace(version + 1, planned, 0)).toBeUndefined();
    await transaction.commit();
    expect(await subject.journal.insert(planned, 0)).toMatchObject({ inserted: false, stored: { version } });
  });

  it('forgets no planned payment, whatever is purged', async () => {
    await joined.insert(planned, 0);
    await transaction.commit();
    await subject.pass(400 * 86_400_000);
    for (const what of ['settled', 'rejected', 'accepted-payouts', 'tombstones'] as const)
      expect(await subject.journal.purge(SCOPE, what, 1)).toBe(0);
    expect((await subject.journal.get(planned))?.record).toEqual(planned);
  });

  it('writes nothing over a payment that was forgotten', async () => {
    await transaction.rollback();
    await subject.journal.insert(journalRecord('order-1', { state: 'settled', outcome: 'success' }), 0);
    await subject.pass(10_000);
    await subject.journal.purge(SCOPE, 'settled', 5_000);
    const second = await subject.begin();
    const again = await subject.journal.within?.(second.handle);
    expect(await again?.insert(planned, 0)).toMatchObject({ inserted: false, tombstone: { end: 'success' } });
    await second.commit();
    expect(await subject.journal.get(planned)).toBeUndefined();
  });

  it('counts the age from the moment of the insertion, by the clock of the store', async () => {
    await joined.insert(planned, 0);
    await transaction.commit();
    await subject.pass(7_000);
    const stored = await subject.journal.get(planned);
    // The store may round to whole milliseconds.
    expect(stored?.idleMs).toBeGreaterThanOrEqual(6_995);
    expect(stored?.updatedAt).toBe(stored?.createdAt);
    expect(stored?.leaseLeftMs).toBe(0);
  });
}
