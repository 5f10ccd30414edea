import { describe } from 'vitest';
import { describeWith, mysqlService } from '../support/services.js';
import { borrowMysql, openTypeOrmOnMysql } from './mysql-database.js';
import { executorContracts } from './executor-contracts.js';
import { TYPEORMS } from './typeorm-database.js';

describeWith([mysqlService], 'sqlStorage() on MariaDB', () => {
  describe('through a pool of mysql2', () => {
    executorContracts(borrowMysql);
  });
  describe.each(TYPEORMS)('through TypeORM %s', (_version, packed) => {
    executorContracts(() => openTypeOrmOnMysql(packed, [], 10, borrowMysql));
  });
});
