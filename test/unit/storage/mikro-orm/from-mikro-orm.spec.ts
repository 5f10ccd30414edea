import { expect, it } from 'vitest';
import { PaymentsConfigError } from '../../../../lib/errors/payments-errors.js';
import { fromMikroOrm, type MikroOrmInstance } from '../../../../lib/storage/mikro-orm/index.js';

const orm = (connection: object): MikroOrmInstance =>
  ({
    em: {
      getConnection: () => connection,
      transactional: () => Promise.reject(new Error('not asked')),
      getTransactionContext: () => undefined,
    },
  }) as unknown as MikroOrmInstance;
const sql = (dialect: string): MikroOrmInstance => {
  const notAsked = (): Promise<never> => Promise.reject(new Error('not asked'));
  const knex = { transaction: notAsked, client: { dialect, config: {}, acquireConnection: notAsked } };
  return orm({ getKnex: () => knex });
};
const NO_ORM =
  'fromMikroOrm(orm) needs an initialized MikroORM: inject MikroORM, or write await MikroORM.init({ … }).';

it.each<[what: string, given: unknown, says: string]>([
  ['nothing', undefined, NO_ORM],
  ['a MikroORM that nobody awaited', Promise.resolve(sql('postgresql')), NO_ORM],
  ['an EntityManager', sql('postgresql').em, NO_ORM],
  [
    'MongoDB, and MikroORM 7',
    orm({}),
    'fromMikroOrm(orm) needs MikroORM 6 on PostgreSQL, MySQL or MariaDB: import it from @mikro-orm/postgresql, @mikro-orm/mysql or @mikro-orm/mariadb.',
  ],
  [
    'SQLite',
    sql('sqlite3'),
    'fromMikroOrm(orm) has no statements for the database sqlite3: import MikroORM from @mikro-orm/postgresql, @mikro-orm/mysql or @mikro-orm/mariadb.',
  ],
])('refuses %s, and says what to write', (_what, given, says) => {
  expect(() => fromMikroOrm(given as MikroOrmInstance)).toThrow(new PaymentsConfigError(says));
});

const OPEN = { isCompleted: () => false };

it.each<[what: string, handle: unknown, says: string]>([
  ['nothing', null, 'MikroORM needs the EntityManager of an open transaction here'],
  [
    'an EntityManager without one',
    orm({}).em,
    'MikroORM needs the EntityManager of an open transaction here',
  ],
  ['a transaction of Knex', OPEN, 'MikroORM needs the EntityManager of an open transaction here'],
  [
    'one whose transaction has ended',
    { getTransactionContext: () => ({ isCompleted: () => true }) },
    'MikroORM needs the EntityManager of an open transaction here',
  ],
  [
    'one of another MikroORM',
    { getTransactionContext: () => OPEN, getConnection: () => ({}) },
    'The EntityManager is of another MikroORM than fromMikroOrm() has',
  ],
])('refuses %s as the transaction of the application', (_what, handle, says) => {
  expect(() => fromMikroOrm(sql('postgresql')).wrapTransaction(handle)).toThrow(says);
});
