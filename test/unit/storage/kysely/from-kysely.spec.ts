import { expect, it } from 'vitest';
import { PaymentsConfigError } from '../../../../lib/errors/payments-errors.js';
import { fromKysely, type KyselyDatabase } from '../../../../lib/storage/kysely/index.js';

const adapterOf = (name: string): object => ({ constructor: { name } });

const kysely = (adapter: object): KyselyDatabase =>
  ({
    startTransaction: () => undefined,
    getExecutor: () => ({ adapter }),
  }) as unknown as KyselyDatabase;
const NO_KYSELY = 'fromKysely(db) needs an instance of Kysely 0.28 or newer: write new Kysely({ dialect }).';

it.each<[what: string, given: unknown, says: string]>([
  ['nothing', undefined, NO_KYSELY],
  ['a pool', { connect: () => undefined }, NO_KYSELY],
  ['a version without controlled transactions', { getExecutor: () => undefined }, NO_KYSELY],
  [
    'another database',
    kysely(adapterOf('SqliteAdapter')),
    'fromKysely(db) has no statements for the database of SqliteAdapter: write new Kysely({ dialect }) with PostgresDialect or MysqlDialect, and let a bundler keep the names of classes (keepNames).',
  ],
])('refuses %s, and says what to write', (_what, given, says) => {
  expect(() => fromKysely(given as KyselyDatabase)).toThrow(new PaymentsConfigError(says));
});

it.each<[what: string, handle: unknown, says: string]>([
  ['nothing', null, 'Kysely needs an open transaction here'],
  ['Kysely itself', kysely(adapterOf('PostgresAdapter')), 'Kysely needs an open transaction here'],
  [
    'a transaction of another Kysely',
    { isTransaction: true, getExecutor: () => ({ adapter: adapterOf('PostgresAdapter') }) },
    'The transaction is of another Kysely than fromKysely() has',
  ],
])('refuses %s as the transaction of the application', (_what, handle, says) => {
  expect(() => fromKysely(kysely(adapterOf('PostgresAdapter'))).wrapTransaction(handle)).toThrow(says);
});
