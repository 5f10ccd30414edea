import { expect, it } from 'vitest';
import { isReadOnlyServer } from '../../../../lib/storage/sql/read-only-server.js';

const error = (message: string, codes: object): Error => Object.assign(new Error(message), codes);
const forbidden = (option: string): Error =>
  error(`The MySQL server is running with the ${option} option so it cannot execute this statement`, {
    code: 'ER_OPTION_PREVENTS_STATEMENT',
    errno: 1290,
    sqlState: 'HY000',
  });

it.each<[what: string, error: unknown, isReadOnly: boolean]>([
  ['PostgreSQL', error('cannot execute INSERT in a read-only transaction', { code: '25006' }), true],
  ['TypeORM', { driverError: error('cannot execute INSERT during recovery', { code: '25006' }) }, true],
  ['MySQL in a transaction that may only read', error('x', { errno: 1792, sqlState: '25006' }), true],
  ['a driver that gives no SQLSTATE', error('x', { errno: 1792 }), true],
  ['InnoDB', error('Running in read-only mode', { errno: 1836, sqlState: 'HY000' }), true],
  ['MySQL', forbidden('--read-only'), true],
  ['MySQL, also to administrators', forbidden('--super-read-only'), true],
  ['MariaDB', forbidden('--read_only'), true],
  ['an ORM that keeps no text', { code: 1290, cause: forbidden('--innodb-read-only') }, true],
  ['MySQL for another reason', forbidden('--secure-file-priv'), false],
  ['a statement that only holds the words', error('--read-only', { errno: 1062 }), false],
  ['a driver that gives no text', { errno: 1290 }, false],
  ['PostgreSQL for another reason', error('read-only', { code: '25P02' }), false],
  ['nobody', undefined, false],
])('an error of %s says that the server takes no writes: $2', (_who, given, isReadOnly) => {
  expect(isReadOnlyServer(given)).toBe(isReadOnly);
});
