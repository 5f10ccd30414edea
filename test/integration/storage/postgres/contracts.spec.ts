import { afterAll, afterEach, beforeAll, beforeEach, describe } from 'vitest';
import { postgresStorage } from 'nestjs-payments/postgres';
import { damagedJournalContract } from '../../../support/journal-contract.js';
import {
  borrowPaymentsDatabase,
  openPaymentsDatabase,
  type PaymentsDatabase,
} from '../../../support/payments-database.js';
import { describeWith, postgresService } from '../../../support/services.js';
import {
  joiningContracts,
  storageContracts,
  type TestedStorage,
  transactionalContracts,
} from '../../../support/storage-contracts.js';

describeWith([postgresService], 'postgresStorage()', () => {
  let database: PaymentsDatabase;
  const open = (transactional = false): TestedStorage => {
    const { pool, schema, pass } = database;
    return { ...postgresStorage({ pool, schema, transactional }), pass };
  };

  describe('as a plain storage', () => {
    beforeAll(async () => {
      database = await openPaymentsDatabase(postgresService.url);
    });
    afterEach(() => database.clear());
    afterAll(() => database.close());

    storageContracts(open);
    joiningContracts(() => ({ ...open(), begin: database.begin }));
    describe('a row of its journal that cannot be read', () => {
      const update = (change: string) => (reference: string) =>
        database.pool.query(`UPDATE payments_journal SET ${change} WHERE reference = $1`, [reference]);
      damagedJournalContract(open, [
        ['record is null', update(`record = 'null'`)],
        ['record is no JSON object', update(`record = '"something else"'`)],
        [
          'record is of another payment',
          update(`record = replace(record::text, 'order-1', 'order-2')::json`),
        ],
        ['record and state differ', update(`state = 'on-hold'`)],
      ]);
    });
  });

  describe('with the transaction of the handlers', () => {
    // Claims that a test leaves open hold their connections.
    beforeEach(async () => {
      database = await borrowPaymentsDatabase(postgresService.url);
    });
    afterEach(() => database.close());

    transactionalContracts(() => open(true));
  });
});
