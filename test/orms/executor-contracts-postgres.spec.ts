import { describe } from 'vitest';
import { describeWith } from '../support/services.js';
import { EXECUTORS } from './executors.js';
import { ON_POSTGRES } from './orm-database.js';
import { executorContracts } from './executor-contracts.js';

describeWith([ON_POSTGRES.service], `sqlStorage() on ${ON_POSTGRES.name}`, () => {
  describe.each(EXECUTORS)('with $name', (orm) => {
    executorContracts(() => ON_POSTGRES.borrow(orm));
  });
});
