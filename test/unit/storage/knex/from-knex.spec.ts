import { expect, it } from 'vitest';
import { PaymentsConfigError } from '../../../../lib/errors/payments-errors.js';
import { fromKnex, type KnexInstance } from '../../../../lib/storage/knex/index.js';

const knex = (dialect: string, driverName = dialect): KnexInstance =>
  ({
    transaction: () => Promise.reject(new Error('not asked')),
    client: {
      dialect,
      driverName,
      config: {},
      acquireConnection: () => Promise.reject(new Error('not asked')),
    },
  }) as unknown as KnexInstance;
const NO_KNEX =
  "fromKnex(knex) needs an instance of Knex: write knex({ client: 'pg', connection }), or mysql2 instead of pg.";

it.each<[what: string, given: unknown, says: string]>([
  ['nothing', undefined, NO_KNEX],
  ['an address', 'postgres://127.0.0.1/shop', NO_KNEX],
  ['a pool', { connect: () => undefined }, NO_KNEX],
  [
    'another database',
    knex('sqlite3'),
    'fromKnex(knex) has no statements for the client sqlite3 of Knex: it must be pg or mysql2.',
  ],
  [
    'the old driver of MySQL',
    knex('mysql', 'mysql'),
    'fromKnex(knex) has no statements for the client mysql of Knex: it must be pg or mysql2.',
  ],
])('refuses %s, and says what to write', (_what, given, says) => {
  expect(() => fromKnex(given as KnexInstance)).toThrow(new PaymentsConfigError(says));
});

it.each<[what: string, handle: unknown, says: string]>([
  ['nothing', null, 'Knex needs an open transaction here'],
  ['Knex itself', knex('postgresql'), 'Knex needs an open transaction here'],
  [
    'a transaction that has ended',
    { isTransaction: true, client: {}, isCompleted: () => true },
    'Knex needs an open transaction here',
  ],
  [
    'a transaction of another Knex',
    { isTransaction: true, client: { config: {} }, isCompleted: () => false },
    'The transaction is of another Knex than fromKnex() has',
  ],
])('refuses %s as the transaction of the application', (_what, handle, says) => {
  expect(() => fromKnex(knex('postgresql')).wrapTransaction(handle)).toThrow(says);
});

it.each([
  ['pg', 'postgresql', 'postgres'],
  ['mysql2', 'mysql', 'mysql'],
])('knows the database of the client %s', (driver, dialect, known) => {
  expect(fromKnex(knex(dialect, driver)).dialect).toBe(known);
});
