import pg from 'pg';
import sequelizePackage, { type Transaction } from 'sequelize';
import { fromSequelize } from 'nestjs-payments/sequelize';
import { type OpenOwnExecutor, type OrmExecutor } from './executors.js';

const { DataTypes } = sequelizePackage;

/**
 * The end of a spec kills connections that a test has left open. Sequelize listens to errors of a connection a moment after it
 * was made: a kill in between would end the process.
 */
class HeardClient extends pg.Client {
  constructor(config: pg.ClientConfig) {
    super(config);
    this.on('error', () => undefined);
  }
}

function opened(url: string, max: number, more: object): OpenOwnExecutor {
  const sequelize = new sequelizePackage.Sequelize(url, { logging: false, pool: { max }, ...more });
  const columns = { reference: { type: DataTypes.STRING, primaryKey: true }, times: DataTypes.INTEGER };
  sequelize.define('credits', columns, { tableName: 'credits', timestamps: false });
  return {
    executor: fromSequelize(sequelize),
    transaction: (work) => sequelize.transaction(work),
    close: () => sequelize.close(),
  };
}

function send(transaction: Transaction, text: string): Promise<unknown> {
  return transaction.sequelize.query(text, { transaction });
}

export const SEQUELIZE: OrmExecutor<Transaction> = {
  name: 'Sequelize',
  openPostgres: ({ options }) => {
    const { connectionString = '', application_name, max, options: settings, query_timeout } = options;
    const dialectOptions = { options: settings, application_name, ...(query_timeout && { query_timeout }) };
    return opened(connectionString, max, { dialectOptions, dialectModule: { ...pg, Client: HeardClient } });
  },
  openMysql: (url, max) => opened(url, max, {}),
  credit: (transaction, reference) =>
    transaction.sequelize.models['credits']!.increment('times', { where: { reference }, transaction }),
  nested: async (transaction, work) => {
    await send(transaction, 'SAVEPOINT part');
    try {
      await work(transaction);
      await send(transaction, 'RELEASE SAVEPOINT part');
    } catch (error) {
      await send(transaction, 'ROLLBACK TO SAVEPOINT part');
      throw error;
    }
  },
  send,
  endings: [
    ['COMMIT', (transaction) => send(transaction, 'COMMIT')],
    ['ROLLBACK', (transaction) => send(transaction, '/* all */ ROLLBACK')],
    ['commit()', (transaction) => transaction.commit()],
    ['rollback()', (transaction) => transaction.rollback()],
    [
      'cleanup()',
      (transaction) =>
        Promise.resolve().then(() => {
          transaction.cleanup();
        }),
    ],
    ['forceCleanup()', (transaction) => transaction.forceCleanup()],
    [
      'a nested transaction',
      (transaction) => transaction.sequelize.transaction({ transaction }, () => Promise.resolve()),
    ],
  ],
};
