import { describe } from 'vitest';
import { createPool, type PoolConnection } from 'mysql2/promise';
import { fromMysql2 } from 'nestjs-payments/mysql';
import { sqlStorage } from 'nestjs-payments/sql';
import { type LimitedPool, poolLimitContract } from '../support/pool-limit-contract.js';
import { describeWith, mysqlService } from '../support/services.js';
import { openMysql } from './mysql-database.js';

describeWith([mysqlService], 'a pool of mysql2', () => {
  describe.each([false, true])('whose queue is full (transactional: %j)', (transactional) => {
    poolLimitContract(async (): Promise<LimitedPool> => {
      const database = await openMysql();
      const pool = createPool({ uri: database.url, connectionLimit: 1, queueLimit: 1 });
      let lent: PoolConnection;
      let waiting: Promise<PoolConnection>;
      return {
        storage: sqlStorage({ executor: fromMysql2(pool), transactional }),
        refuse: async () => {
          lent = await pool.getConnection();
          waiting = pool.getConnection();
        },
        serve: async () => {
          lent.release();
          (await waiting).release();
        },
        close: async () => {
          await pool.end();
          await database.close();
        },
      };
    });
  });

  describe('that was ended', () => {
    poolLimitContract(async (): Promise<LimitedPool> => {
      const database = await openMysql();
      const pool = createPool({ uri: database.url });
      return {
        storage: sqlStorage({ executor: fromMysql2(pool) }),
        refuse: () => pool.end(),
        close: () => database.close(),
      };
    });
  });
});
