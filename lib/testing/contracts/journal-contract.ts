import { type StoredJournalRecord } from '../../storage/journal-store.js';
import { type JournalState } from '../../common/vocabulary.js';
import { ACCOUNT_LISTING } from './account-listing.cases.js';
import { type Cases, type ContractFramework, eachCase, registerCases } from './contract-framework.js';
import { JOURNAL_LEASES } from './journal-leases.cases.js';
import { JOURNAL_LISTING } from './journal-listing.cases.js';
import { JOURNAL_PURGING } from './journal-purging.cases.js';
import { JOURNAL_RACING } from './journal-racing.cases.js';
import {
  JOURNAL_SCOPE as SCOPE,
  journalRecord,
  type JournalTest,
  journalTest,
  type JournalUnderTest,
} from './journal-test.js';
import { JOURNAL_WRITING } from './journal-writing.cases.js';

/**
 * Registers the tests of what every `JournalStore` must do. Call it inside a `describe`.
 *
 * @param framework `describe`, `it` and `expect` of Jest, Vitest or another one.
 * @param open Makes an empty store, for each test.
 *
 * @publicApi
 */
export function journalContract(
  framework: ContractFramework,
  open: () => Promise<JournalUnderTest> | JournalUnderTest,
): void {
  for (const cases of [JOURNAL_WRITING, JOURNAL_LEASES, JOURNAL_LISTING, JOURNAL_PURGING, JOURNAL_RACING]) {
    registerCases(framework, cases, async () => journalTest(framework.expect, await open()));
  }
  framework.describe('the accounts that it lists', () => {
    registerCases(framework, ACCOUNT_LISTING, async () => {
      const { journal } = await open();
      return {
        expect: framework.expect,
        store: journal,
        write: (scope, reference) => journal.insert(journalRecord(reference, scope), 0),
      };
    });
    registerCases(framework, FORGOTTEN_ACCOUNTS, async () => journalTest(framework.expect, await open()));
  });
}

/** The tombstones of an account are purged too. */
const FORGOTTEN_ACCOUNTS: Cases<JournalTest> = {
  'include those of which only a tombstone is left': async ({ journal, expect }) => {
    const settled = { state: 'settled', outcome: 'success', settledBy: 'webhook' } as const;
    await journal.insert(journalRecord('order-1', settled), 0);
    const { account, environment } = SCOPE;
    expect(await journal.purge({ account, environment }, 'settled', -1)).toBe(1);
    expect(await journal.accounts({ limit: 10 })).toEqual({ accounts: [{ account, environment }] });
  },
};

/**
 * A way to damage what is stored of a payment, in the collections of the account `default`, so that it cannot be read.
 *
 * @publicApi
 */
export type JournalDamage = readonly [how: string, damage: (reference: string) => Promise<unknown>];

/**
 * Registers the tests of what a `JournalStore` outside of the process must do with a payment whose record cannot be read:
 * an operator can end it, and nobody makes it again. Call it inside a `describe`.
 *
 * @param framework `describe`, `it` and `expect` of Jest, Vitest or another one.
 * @param open Makes an empty store, for each test.
 * @param damages Ways to damage a stored record.
 *
 * @publicApi
 */
export function damagedJournalContract(
  framework: ContractFramework,
  open: () => Promise<JournalUnderTest> | JournalUnderTest,
  damages: readonly JournalDamage[],
): void {
  registerCases(framework, damagedRecords(damages), async () => journalTest(framework.expect, await open()));
}

function damagedRecords(damages: readonly JournalDamage[]): Cases<JournalTest> {
  return eachCase(damages, ([how, damage]) => [
    `lets an operator end a payment whose ${how}, and nobody can make it again`,
    async ({ journal, expect }: JournalTest) => {
      await journal.insert(journalRecord('order-1'), 0);
      await damage('order-1');
      const listed = async (...states: readonly JournalState[]): Promise<readonly StoredJournalRecord[]> =>
        (await journal.list(SCOPE, states, { limit: 9 })).entries;
      const [found] = await listed('settled');
      const existing = await journal.get(journalRecord('order-1'));
      expect(typeof found?.damaged).toBe('string');
      expect(found?.record.reference).toBe('order-1');
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
      expect(after?.damaged).toBeUndefined();
      expect(after?.version).not.toBe(existing?.version);
      expect(await listed('settled')).toEqual([]);
      expect((await listed()).map(({ record }) => record.reference)).toEqual(['order-1']);
      expect(await journal.purge(SCOPE, 'settled', -1)).toBe(1);
      expect(await listed()).toEqual([]);
    },
  ]);
}
