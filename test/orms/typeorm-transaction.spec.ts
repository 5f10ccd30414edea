import { afterEach, beforeEach, describe } from 'vitest';
import { sqlStorage } from 'nestjs-payments/sql';
import { fromTypeOrm } from 'nestjs-payments/typeorm';
import { enlistingHandlerContract } from '../support/enlisting-handler-contract.js';
import { describeWith, postgresService } from '../support/services.js';
import { handlerCases, POOL_SIZE } from './handler-cases.js';
import { openTypeOrm, type TypeOrmDatabase, TYPEORMS } from './typeorm-database.js';
import { beginOn, creditsEntity, MANAGER_ENDINGS, managerWay } from './typeorm-way.js';

describeWith([postgresService], "a handler that writes with TypeORM's EntityManager on PostgreSQL", () => {
  describe.each(TYPEORMS)('of TypeORM %s', (_version, packed) => {
    handlerCases(async () => {
      const credits = creditsEntity(packed);
      const database = await openTypeOrm(packed, [credits], POOL_SIZE);
      const { pool, dataSource } = database;
      await pool.query('CREATE TABLE credits (reference text PRIMARY KEY, times int NOT NULL)');
      return {
        ...database,
        ...managerWay(credits),
        executor: fromTypeOrm(dataSource),
        begin: () => beginOn(dataSource),
        spoil: (manager) => manager.query('SELECT 1 / 0'),
        spoiled: '25P02',
        slow: (manager) => manager.query('SELECT pg_sleep(0.05)'),
        open: (references) => pool.query('INSERT INTO credits SELECT unnest($1::text[]), 0', [references]),
        times: async () => {
          const { rows } = await pool.query<{ readonly times: number }>('SELECT times FROM credits');
          return rows.map(({ times }) => times);
        },
      };
    }, MANAGER_ENDINGS);
  });
});

describeWith([postgresService], 'a payment that a handler enlists with its EntityManager', () => {
  describe.each(TYPEORMS)('of TypeORM %s', (_version, packed) => {
    let database: TypeOrmDatabase;

    beforeEach(async () => {
      database = await openTypeOrm(packed);
    });
    afterEach(() => database.close());

    enlistingHandlerContract(() => {
      const { dataSource, schema } = database;
      return sqlStorage({ executor: fromTypeOrm(dataSource), schema, transactional: true });
    });
  });
});
