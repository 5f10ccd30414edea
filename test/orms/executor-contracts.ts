import { afterAll, afterEach, beforeAll, describe } from 'vitest';
import { type InboxClaim, type InboxStore } from 'nestjs-payments';
import { type SqlExecutor, sqlStorage } from 'nestjs-payments/sql';
import { batchContract, type BatchStore } from '../support/batch-contract.js';
import { type ApplicationTransaction } from 'nestjs-payments/testing';
import { reconciliationContract, type ReconciliationStore } from '../support/reconciliation-contract.js';
import { damagedJournalContract } from '../support/journal-contract.js';
import {
  joiningContracts,
  storageContracts,
  type TestedStorage,
  transactionalContracts,
} from '../support/storage-contracts.js';

/** The package's tables in a database of a spec. */
export interface ExecutorDatabase {
  readonly executor: SqlExecutor;
  /** Of PostgreSQL. */
  readonly schema?: string;
  /** Begins a transaction of the application. */
  begin(): Promise<ApplicationTransaction>;
  /** Lets time pass. */
  pass(ms: number): Promise<void>;
  /** Forgets everything that is stored. */
  clear(): Promise<void>;
  close(): Promise<void>;
}

/** Runs every contract of a storage on an executor. */
export function executorContracts(open: () => Promise<ExecutorDatabase>): void {
  let database: ExecutorDatabase;
  const storage = (transactional = false): TestedStorage => {
    const { executor, schema, pass } = database;
    return { ...sqlStorage({ executor, transactional, ...(schema !== undefined && { schema }) }), pass };
  };

  describe('as a plain storage', () => {
    beforeAll(async () => {
      database = await open();
    });
    afterEach(() => database.clear());
    afterAll(() => database.close());

    storageContracts(storage);
    joiningContracts(() => ({ ...storage(), begin: database.begin }));
    describe('its batches', () => {
      const batches = (): BatchStore => {
        const { batches: kept } = storage();
        if (!kept) throw new Error('The storage keeps no batches.');
        return kept;
      };
      batchContract({ store: batches, pass: (ms) => database.pass(ms) });
    });
    describe('its reconciliation', () => {
      const reconciliation = (): ReconciliationStore => {
        const { reconciliation: kept } = storage();
        if (!kept) throw new Error('The storage keeps no reconciliation.');
        return kept;
      };
      reconciliationContract({ store: reconciliation, pass: (ms) => database.pass(ms) });
    });
    describe('a row of its journal that cannot be read', () => {
      const update = (change: string) => (reference: string) => {
        const { dialect, execute } = database.executor;
        const placeholder = dialect === 'postgres' ? '$1' : '?';
        return execute(`UPDATE payments_journal SET ${change} WHERE reference = ${placeholder}`, [reference]);
      };
      damagedJournalContract(storage, [
        ['record is null', update(`record = 'null'`)],
        ['record and state differ', update(`state = 'on-hold'`)],
      ]);
    });
  });

  describe('with the transaction of the handlers', () => {
    const claims: InboxClaim[] = [];
    const transactional = (): TestedStorage => remembering(storage(true), claims);

    beforeAll(async () => {
      database = await open();
    });
    afterEach(async () => {
      // Claims that a test leaves open hold their connections.
      await Promise.all(claims.splice(0).map((claim) => claim.fail()));
      await database.clear();
    });
    afterAll(() => database.close());

    transactionalContracts(transactional);
  });
}

/** The same storage, which writes down whose claims begin. */
function remembering(storage: TestedStorage, claims: InboxClaim[]): TestedStorage {
  const inbox: InboxStore = Object.assign(Object.create(storage.inbox) as InboxStore, {
    claim: async (...given: Parameters<InboxStore['claim']>) => {
      const claimed = await storage.inbox.claim(...given);
      if (claimed.result === 'claimed') claims.push(claimed.claim);
      return claimed;
    },
  });
  return { ...storage, inbox };
}
