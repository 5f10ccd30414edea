import { expect, it } from 'vitest';
import { PaymentsValidationError } from '../../../../lib/errors/payments-errors.js';
import { MYSQL_DIALECT } from '../../../../lib/storage/mysql/mysql-dialect.js';

const { failure, mayRunAgain, limited } = MYSQL_DIALECT;
const error = (errno: number): Error => Object.assign(new Error('Asha, 255700000000'), { errno });

it.each([
  [1146, 'call migrateSqlStorage(executor)'],
  [1054, 'call migrateSqlStorage(executor)'],
  [1305, 'The webhook transaction ended while a handler ran'],
  [1040, 'The database takes no more connections'],
  [1203, 'The database takes no more connections'],
  [1021, 'The disk or table space of the database server is full: make room on it (1021).'],
  [1114, 'The disk or table space of the database server is full'],
  [1053, 'The database server stops, starts, or was told to end the connection (1053).'],
  [1836, 'Give nestjs-payments connections that may write'],
  [1205, 'The database did not do what it was asked'],
])('the error %i says what to do, and nothing of what was to be stored', (errno, said) => {
  const found = failure(error(errno));
  expect(found).toMatchObject({ name: 'PaymentsStorageError' });
  expect(found.message).toContain(said);
  expect(found.message).not.toContain('Asha');
});

it('a server that takes no writes is told from another option that forbids a statement', () => {
  const forbidden = (option: string): Error =>
    failure(
      Object.assign(
        new Error(`The MySQL server is running with the ${option} option so it cannot execute this`),
        {
          errno: 1290,
        },
      ),
    );
  expect(forbidden('--read-only').message).toContain('Give nestjs-payments connections that may write');
  expect(forbidden('--secure-file-priv').message).toContain('The database did not do what it was asked');
});

it('an error of the package stays as it is', () => {
  const own = new PaymentsValidationError({ after: ['is no place'] });
  expect(failure(own)).toBe(own);
});

it.each([
  [1213, true],
  [1020, true],
  [1205, false],
  [1062, false],
])('the error %i may be tried again: %s', (errno, again) => {
  expect(mayRunAgain(error(errno))).toBe(again);
});

it.each([
  ['UPDATE a SET b = 1', true],
  ['INSERT INTO a VALUES (1)', true],
  ['DELETE FROM a', true],
  ['SAVEPOINT a', false],
])('%s waits for a lock for two seconds: %s', (text, isLimited) => {
  expect(
    limited?.(text).includes('SET STATEMENT innodb_lock_wait_timeout = 2, lock_wait_timeout = 2 FOR'),
  ).toBe(isLimited);
  expect(limited?.(text)).toContain(text);
});
