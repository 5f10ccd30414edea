import { expect, it } from 'vitest';
import { PaymentsConfigError } from '../../../../lib/errors/payments-errors.js';
import { fromKnex, type KnexInstance } from '../../../../lib/storage/knex/index.js';

const knex = (dialect: string): KnexInstance =>
  ({
    transaction: () => Promise.reject(new Error('not asked')),
    client: { dialect, config: {}, acquireConnection: () => Promise.reject(new Error('not asked')) },
  }) as unknown as KnexInstance;
const NO_KNEX = "fromKnex(knex) needs an instance of Knex: write knex({ client: 'pg', connection }).";

it.each<[what: string, given: unknown, says: string]>([
  ['nothing', undefined, NO_KNEX],
  ['an address', 'postgres://127.0.0.1/shop', NO_KNEX],
  ['a pool', { connect: () => undefined }, NO_KNEX],
  [
    'another database',
    knex('sqlite3'),
    'fromKnex(knex) has no statements for the dialect sqlite3 of Knex: it must be postgresql.',
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
