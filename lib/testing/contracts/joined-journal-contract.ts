import { pause } from '../../common/timing.js';
import { type JournalInTransaction, type StoredJournalRecord } from '../../storage/journal-store.js';
import { type Cases, type ContractFramework, registerCases } from './contract-framework.js';
import {
  allBut,
  JOURNAL_SCOPE as SCOPE,
  journalRecord,
  type JournalTest,
  journalTest,
  type JournalUnderTest,
  storedBy,
} from './journal-test.js';

/**
 * A transaction of the application, beside the journal.
 *
 * @publicApi
 */
export interface ApplicationTransaction {
  /** What `JournalStore.within` takes. */
  readonly handle: unknown;
  /** Commits it. */
  commit(): unknown;
  /** Undoes it. */
  rollback(): unknown;
}

/**
 * A journal under test, in a database where the application has transactions.
 *
 * @publicApi
 */
export interface JoinedJournalUnderTest extends JournalUnderTest {
  /** Begins a transaction of the application. */
  begin(): Promise<ApplicationTransaction> | ApplicationTransaction;
}

/**
 * Registers the tests of what a `JournalStore` with `within` must do, so that payments can be enlisted in the
 * application's transactions. Call it inside a `describe`.
 *
 * @param framework `describe`, `it` and `expect` of Jest, Vitest or another one.
 * @param open Makes an empty store, for each test.
 *
 * @publicApi
 */
export function joinedJournalContract(
  framework: ContractFramework,
  open: () => Promise<JoinedJournalUnderTest> | JoinedJournalUnderTest,
): void {
  registerCases(framework, JOINED_JOURNAL, async () => joinedTest(framework, await open()));
}

/** What a test of a journal with `within` gets. */
interface JoinedTest extends JournalTest {
  /** Begins a transaction, and joins it. */
  readonly join: () => Promise<{
    readonly transaction: ApplicationTransaction;
    readonly joined: JournalInTransaction;
  }>;
  /** What `within` rejects with. */
  readonly refusalOf: (handle: unknown) => Promise<unknown>;
  readonly found: () => Promise<StoredJournalRecord | undefined>;
}

function joinedTest({ expect }: ContractFramework, subject: JoinedJournalUnderTest): JoinedTest {
  const within = async (handle: unknown): Promise<JournalInTransaction> => {
    if (!subject.journal.within)
      throw new Error('The journal has no method within(): it joins no transaction.');
    return subject.journal.within(handle);
  };
  const test = journalTest(expect, subject);
  return {
    ...test,
    join: async () => {
      const transaction = await subject.begin();
      return { transaction, joined: await within(transaction.handle) };
    },
    refusalOf: (handle) =>
      within(handle).then(
        () => undefined,
        (error: unknown) => error,
      ),
    found: () => test.storedEntry('order-1'),
  };
}

const planned = journalRecord('order-1', { state: 'planned' });
const elsewhere = journalRecord('order-1', { intent: 'another call' });

const GIVEN_TO_WRITE_MS = 250;

/** Commits a transaction while another call writes the same payment. Exactly one of the two does; a rejection is a no. */
async function expectOneWriter(
  { expect, found }: JoinedTest,
  transaction: ApplicationTransaction,
  outside: Promise<boolean>,
): Promise<void> {
  const written = outside.catch(() => false);
  // A database may let the other call wait for the transaction, and then have no connection left for a look. One that does
  // not is given the time to write.
  const looked = found().then(found).then(found);
  await Promise.race([looked, written, pause(GIVEN_TO_WRITE_MS, undefined)]);
  const committed = Promise.resolve()
    .then(() => transaction.commit())
    .then(
      () => true,
      () => false,
    );
  const [isInside, isOutside] = await Promise.all([committed, written, looked]);
  expect(isInside).toBe(!isOutside);
  expect((await found())?.record).toEqual(isInside ? planned : elsewhere);
}

const JOINED_JOURNAL: Cases<JoinedTest> = {
  'shows others what a transaction wrote when it is committed, and not before': async ({
    journal,
    expect,
    join,
    found,
  }) => {
    const { joined, transaction } = await join();
    expect(await joined.insert(planned, 0)).toMatchObject({ inserted: true, stored: { record: planned } });
    expect(await found()).toBeUndefined();
    await transaction.commit();
    expect((await found())?.record).toEqual(planned);
    const { entries } = await journal.list(SCOPE, allBut('planned'), { limit: 9 });
    expect(entries.map(({ record }) => record)).toEqual([planned]);
  },

  'keeps nothing of a transaction that is rolled back, a change neither': async ({
    expect,
    insert,
    join,
    found,
  }) => {
    const first = await join();
    await first.joined.insert(planned, 0);
    await first.transaction.rollback();
    expect(await found()).toBeUndefined();
    const refused = journalRecord('order-1', { state: 'rejected' });
    const { version } = await insert(refused, 0);
    const second = await join();
    expect((await second.joined.replace(version, planned, 0))?.record).toEqual(planned);
    await second.transaction.rollback();
    expect(await found()).toMatchObject({ record: refused, version });
  },

  'gives the transaction a record that exists, its own too, and replaces only its version': async ({
    journal,
    expect,
    join,
  }) => {
    const { joined, transaction } = await join();
    const { version } = storedBy(await joined.insert(planned, 0));
    const twice = await joined.insert(journalRecord('order-1', { intent: 'another call' }), 0);
    expect(twice).toMatchObject({ inserted: false, stored: { version, record: planned } });
    expect(await joined.replace(version + 1, planned, 0)).toBeUndefined();
    await transaction.commit();
    expect(await journal.insert(planned, 0)).toMatchObject({ inserted: false, stored: { version } });
  },

  'forgets no planned payment, whatever is purged': async ({ journal, expect, pass, join, found }) => {
    const { joined, transaction } = await join();
    await joined.insert(planned, 0);
    await transaction.commit();
    await pass(400 * 86_400_000);
    for (const what of ['settled', 'rejected', 'accepted-payouts', 'tombstones'] as const)
      expect(await journal.purge(SCOPE, what, 1)).toBe(0);
    expect((await found())?.record).toEqual(planned);
  },

  'writes nothing over a payment that was forgotten': async ({
    journal,
    expect,
    insert,
    pass,
    join,
    found,
  }) => {
    await insert(journalRecord('order-1', { state: 'settled', outcome: 'success' }), 0);
    await pass(10_000);
    await journal.purge(SCOPE, 'settled', 5_000);
    const { joined, transaction } = await join();
    expect(await joined.insert(planned, 0)).toMatchObject({ inserted: false, tombstone: { end: 'success' } });
    await transaction.commit();
    expect(await found()).toBeUndefined();
  },

  'writes a payment down, or another call does outside of it, if both do so at the same time': async (
    test,
  ) => {
    const { joined, transaction } = await test.join();
    test.expect((await joined.insert(planned, 0)).inserted).toBe(true);
    const outside = test.journal.insert(elsewhere, 0).then(({ inserted }) => inserted);
    await expectOneWriter(test, transaction, outside);
  },

  'replaces a version, or another call does outside of it, if both do so at the same time': async (test) => {
    const { journal, expect, insert, join } = test;
    const { version } = await insert(journalRecord('order-1', { state: 'rejected' }), 0);
    const { joined, transaction } = await join();
    expect((await joined.replace(version, planned, 0))?.record).toEqual(planned);
    const outside = journal.replace(version, elsewhere, 0).then((stored) => stored !== undefined);
    await expectOneWriter(test, transaction, outside);
  },

  'counts the age from the moment of the insertion, by the clock of the store': async ({
    expect,
    pass,
    join,
    found,
  }) => {
    const { joined, transaction } = await join();
    await joined.insert(planned, 0);
    await transaction.commit();
    await pass(7_000);
    const stored = await found();
    // The store may round to whole milliseconds.
    expect(stored?.idleMs).toBeGreaterThanOrEqual(6_995);
    expect(stored?.updatedAt).toBe(stored?.createdAt);
    expect(stored?.leaseLeftMs).toBe(0);
  },

  'refuses what is no transaction: a payment written there would never be sent': async ({
    expect,
    refusalOf,
  }) => {
    for (const handle of [undefined, null, {}, 'a transaction'])
      expect(await refusalOf(handle)).toMatchObject({ name: 'PaymentsConfigError' });
  },
};
