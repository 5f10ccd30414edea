import { describe, expect, it } from 'vitest';
import { joinedJournalContract, type JoinedJournalUnderTest } from 'nestjs-payments/testing';
import { type JournalRecord } from '../../../../lib/storage/journal-store.js';
import { stillStorage, testFails, withFault } from '../../../support/planted-contract-faults.js';

/** Keeps what a transaction writes, and at its commit writes it over whatever is there. */
function writesOver(): JoinedJournalUnderTest {
  const { journal, pass } = stillStorage();
  const stored = (record: JournalRecord, version: number) => ({
    ...{ record, version, createdAt: 0, updatedAt: 0 },
    ...{ ageMs: 0, idleMs: 0, leaseLeftMs: 0 },
  });
  return {
    pass,
    journal: withFault(journal, {
      within: (transaction) => {
        const kept = transaction as JournalRecord[];
        return Promise.resolve({
          insert: (record) => {
            kept.push(record);
            return Promise.resolve({ inserted: true, stored: stored(record, 1) });
          },
          replace: (version, record) => {
            kept.push(record);
            return Promise.resolve(stored(record, version + 1));
          },
        });
      },
    }),
    begin: () => {
      const handle: JournalRecord[] = [];
      return {
        handle,
        commit: async () => {
          for (const record of handle) {
            const existing = await journal.get(record);
            await (existing ? journal.replace(existing.version, record, 0) : journal.insert(record, 0));
          }
        },
        rollback: () => undefined,
      };
    },
  };
}

describe('the contract of journals in transactions of the application', () => {
  it.each([
    'writes a payment down, or another call does outside of it, if both do so at the same time',
    'replaces a version, or another call does outside of it, if both do so at the same time',
  ])('%s: it notices a commit that writes over what came meanwhile', async (title) => {
    const fails = await testFails(title, (framework) => {
      joinedJournalContract(framework, writesOver);
    });
    expect(fails).toBe(true);
  });

  it('lets that journal pass where nobody else writes', async () => {
    const title = 'shows others what a transaction wrote when it is committed, and not before';
    const fails = await testFails(title, (framework) => {
      joinedJournalContract(framework, writesOver);
    });
    expect(fails).toBe(false);
  });
});
