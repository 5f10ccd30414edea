import { afterEach, beforeEach, describe } from 'vitest';
import { claimDecisions } from '../../../support/claim-decisions.js';
import { damagedJournalContract } from '../../../support/journal-contract.js';
import { describeWithSqlite, sqliteFile, type SqliteTestFile } from '../../../support/sqlite-file.js';
import {
  joiningContracts,
  storageContracts,
  type TestedStorage,
  transactionalContracts,
} from '../../../support/storage-contracts.js';

describeWithSqlite('sqliteStorage()', () => {
  let file: SqliteTestFile;
  const open = (transactional = false): TestedStorage => ({ ...file.open(transactional), pass: file.pass });

  beforeEach(() => {
    file = sqliteFile();
  });
  afterEach(() => file.close());

  storageContracts(open);
  describe('the statements that claim', () => {
    claimDecisions(open);
  });
  joiningContracts(() => ({ ...open(), begin: file.begin }));
  describe('a row of its journal that cannot be read', () => {
    const update = (change: string) => (reference: string) => {
      file.connect().prepare(`UPDATE payments_journal SET ${change} WHERE reference = ?`).run(reference);
      return Promise.resolve();
    };
    damagedJournalContract(open, [
      ['record is null', update(`record = 'null'`)],
      ['record is no JSON', update(`record = 'something else'`)],
      ['record is of another payment', update(`record = replace(record, 'order-1', 'order-2')`)],
      ['record and state differ', update(`state = 'on-hold'`)],
    ]);
  });
  describe('with the transaction of the handlers', () => {
    transactionalContracts(() => open(true), { hasOneWriter: true });
  });
});
