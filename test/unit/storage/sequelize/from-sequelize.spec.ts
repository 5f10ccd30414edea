import { expect, it } from 'vitest';
import { PaymentsConfigError } from '../../../../lib/errors/payments-errors.js';
import { fromSequelize, type SequelizeInstance } from '../../../../lib/storage/sequelize/index.js';

const sequelize = (dialect: string): SequelizeInstance =>
  ({
    getDialect: () => dialect,
    connectionManager: { getConnection: () => undefined },
  }) as unknown as SequelizeInstance;
const NO_SEQUELIZE =
  'fromSequelize(sequelize) needs an instance of Sequelize 6: inject Sequelize, or write new Sequelize(url, options).';

it.each<[what: string, given: unknown, says: string]>([
  ['nothing', undefined, NO_SEQUELIZE],
  ['an address', 'postgres://127.0.0.1/shop', NO_SEQUELIZE],
  ['a pool', { connect: () => undefined }, NO_SEQUELIZE],
  [
    'another database',
    sequelize('sqlite'),
    'fromSequelize(sequelize) has no statements for the dialect sqlite of Sequelize: it must be postgres or mysql, and mysql works with MariaDB too.',
  ],
])('refuses %s, and says what to write', (_what, given, says) => {
  expect(() => fromSequelize(given as SequelizeInstance)).toThrow(new PaymentsConfigError(says));
});

const NOT_OPEN = 'Sequelize needs an open transaction here';

it.each<[what: string, handle: unknown, says: string]>([
  ['nothing', null, NOT_OPEN],
  ['Sequelize itself', sequelize('postgres'), NOT_OPEN],
  ['a transaction that has ended', { connection: {}, finished: 'commit' }, NOT_OPEN],
  [
    'a transaction of another Sequelize',
    { connection: {}, sequelize: sequelize('postgres') },
    'The transaction is of another Sequelize than fromSequelize() has',
  ],
])('refuses %s as the transaction of the application', (_what, handle, says) => {
  expect(() => fromSequelize(sequelize('postgres')).wrapTransaction(handle)).toThrow(says);
});
