import { describe } from 'vitest';
import { describeWith, mysqlService } from '../support/services.js';
import { borrowMysql, openTypeOrmOnMysql } from './mysql-database.js';
import { storageContracts } from './storage-contracts.js';
import { TYPEORMS } from './typeorm-database.js';

describeWith([mysqlService], 'sqlStorage() on MariaDB', () => {
  describe('through a pool of mysql2', () => {
    storageContracts(borrowMysql);
  });
  describe.each(TYPEORMS)('through TypeORM %s', (_version, packed) => {
    storageContracts(() => openTypeOrmOnMysql(packed, [], 10, borrowMysql));
  });
});
