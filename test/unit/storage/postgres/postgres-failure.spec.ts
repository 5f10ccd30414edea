import { describe, expect, it } from 'vitest';
import { PaymentsValidationError } from '../../../../lib/errors/payments-errors.js';
import { storageFailure } from '../../../../lib/storage/postgres/postgres-failure.js';

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
