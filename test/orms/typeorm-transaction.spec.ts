import { describe } from 'vitest';
import { fromTypeOrm } from 'nestjs-payments/typeorm';
import { type EntityManager } from 'typeorm';
import { describeWith, postgresService } from '../support/services.js';
import { postgresAccounts } from './accounts.js';
import { handlerCases, POOL_SIZE } from './handler-cases.js';
import { openTypeOrm, TYPEORMS } from './typeorm-database.js';
import { beginOn, creditsEntity, MANAGER_ENDINGS, managerWay } from './typeorm-way.js';

describeWith([postgresService], "a handler that writes with TypeORM's EntityManager on PostgreSQL", () => {
  describe.each(TYPEORMS)('of TypeORM %s', (_version, packed) => {
    handlerCases(async () => {
      const credits = creditsEntity(packed);
      const database = await openTypeOrm(packed, [credits], POOL_SIZE);
      const { pool, dataSource } = database;
      return {
        ...database,
        ...managerWay(credits),
        ...(await postgresAccounts<EntityManager>(pool, (manager, text) => manager.query(text))),
        executor: fromTypeOrm(dataSource),
        begin: () => beginOn(dataSource),
      };
    }, MANAGER_ENDINGS);
  });
});
