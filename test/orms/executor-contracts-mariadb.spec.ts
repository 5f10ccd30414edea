import { describe } from 'vitest';
import { describeWith } from '../support/services.js';
import { EXECUTORS } from './executors.js';
import { ON_MARIADB } from './orm-database.js';
import { storageContracts } from './storage-contracts.js';

describeWith([ON_MARIADB.service], `sqlStorage() on ${ON_MARIADB.name}`, () => {
  describe.each(EXECUTORS)('with $name', (orm) => {
    storageContracts(() => ON_MARIADB.borrow(orm));
  });
});
