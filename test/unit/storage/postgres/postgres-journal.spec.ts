import { describe, expect, it, vi } from 'vitest';
import { PaymentsValidationError } from '../../../../lib/errors/payments-errors.js';
import { PostgresJournal } from '../../../../lib/storage/postgres/postgres-journal.js';
import { type RunStatement, storageFailure } from '../../../../lib/storage/postgres/pooled-connection.js';
import { tableNames } from '../../../../lib/storage/postgres/table-names.js';
import { journalRecord } from '../../../support/journal-contract.js';

it('gives up a payment that others write and remove all the time, and sends nothing', async () => {
  const run = vi.fn<RunStatement>(() => Promise.resolve({ rows: [], rowCount: 0 } as never));
  const journal = new PostgresJournal(run, tableNames('public'));
  await expect(journal.insert(journalRecord('order-1'), 1_000)).rejects.toMatchObject({
    name: 'PaymentsStorageError',
    message: expect.stringContaining('others write and remove it all the time') as unknown,
  });
  const inserts = run.mock.calls.filter(([statement]) => JSON.stringify(statement).includes('INSERT'));
  expect(inserts).toHaveLength(10);
});

describe('an error of the storage', () => {
  it('is an error of the package as it came', () => {
    const own = new PaymentsValidationError({ after: ['is no place'] });
    expect(storageFailure(own)).toBe(own);
  });

  it.each([
    ['42P01', 'call migratePayments(pool)'],
    ['3F000', 'call migratePayments(pool)'],
    ['42703', 'call migratePayments(pool)'],
    ['25P02', 'behind a SAVEPOINT'],
    ['42704', 'ended the webhook transaction by itself'],
    ['57014', 'PostgreSQL did not do what it was asked'],
  ])('of the code %s says what to do, and nothing of what was to be stored', (code, said) => {
    const failure = storageFailure(Object.assign(new Error('Asha, 255700000000'), { code }));
    expect(failure).toMatchObject({ name: 'PaymentsStorageError' });
    expect(failure.message).toContain(said);
    expect(failure.message).not.toContain('Asha');
  });
});
