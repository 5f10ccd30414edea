import { expect, it } from 'vitest';
import { type Transaction } from 'sequelize';
import { describeWith, mysqlService } from '../support/services.js';
import { ORM_SERVERS } from './orm-database.js';
import { SEQUELIZE } from './sequelize-executor.js';

const MARIADB = ORM_SERVERS.find(({ name }) => name === 'MariaDB')!;

describeWith([mysqlService], 'a transaction of Sequelize on MariaDB', () => {
  it('gives its only connection back after a deadlock that a handler hides, and its prepared COMMIT is refused', async () => {
    const { executor, spoil, close } = await MARIADB.openWay(SEQUELIZE as never, 1);
    for (let delivery = 0; delivery < 3; delivery += 1) {
      const ended = executor.transaction(async ({ handle }) => {
        await spoil(handle as object).catch(() => undefined);
      });
      await expect(ended).rejects.toThrow('Sequelize calls after a deadlock too');
    }
    const committed = executor.transaction(({ handle }) => {
      const transaction = handle as Transaction;
      return transaction.sequelize.query('COMMIT -- $1', { bind: ['all'], transaction });
    });
    await expect(committed).rejects.toThrow('out of the handler');
    expect(await executor.query('SELECT @@autocommit AS autocommit')).toEqual([{ autocommit: 1 }]);
    await close();
  });
});
