import { expect, it, vi } from 'vitest';
import { journalStatements } from '../../../../lib/storage/postgres/journal-statements.js';
import { tableNames } from '../../../../lib/storage/postgres/table-names.js';
import { type RunScript } from '../../../../lib/storage/sql/sql-database.js';
import { SqlJournal } from '../../../../lib/storage/sql/sql-journal.js';
import { journalRecord } from '../../../support/journal-contract.js';

it('gives up a payment that other processes keep writing and removing, and sends nothing', async () => {
  const run = vi.fn<RunScript>(() => Promise.resolve({ rows: [], rowCount: 0 }));
  const journal = new SqlJournal(run, journalStatements(tableNames('public')));
  await expect(journal.insert(journalRecord('order-1'), 1_000)).rejects.toMatchObject({
    name: 'PaymentsStorageError',
    message: expect.stringContaining('other processes kept writing and removing it') as unknown,
  });
  const inserts = run.mock.calls.filter(([script]) => JSON.stringify(script).includes('INSERT'));
  expect(inserts).toHaveLength(10);
});
