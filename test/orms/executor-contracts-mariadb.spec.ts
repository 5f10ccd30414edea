import { describe } from 'vitest';
import { describeWith } from '../support/services.js';
import { EXECUTORS } from './executors.js';
import { ON_MARIADB } from './orm-database.js';
import { executorContracts } from './executor-contracts.js';

describeWith([ON_MARIADB.service], `sqlStorage() on ${ON_MARIADB.name}`, () => {
  describe.each(EXECUTORS)('with $name', (orm) => {
    executorContracts(() => ON_MARIADB.borrow(orm));
  });
});
