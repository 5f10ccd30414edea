import { afterAll, afterEach, beforeAll, beforeEach, describe } from 'vitest';
import { type PaymentsStorage } from 'nestjs-payments';
import { postgresStorage } from 'nestjs-payments/postgres';
import { redisStorage } from 'nestjs-payments/redis';
import { conflictContract } from '../../../support/conflict-contract.js';
import { inboxContract } from '../../../support/inbox-contract.js';
import { joinedJournalContract } from '../../../support/joined-journal-contract.js';
import { dailyCapContract, journalContract } from '../../../support/journal-contract.js';
import {
  borrowPaymentsDatabase,
  openPaymentsDatabase,
  type PaymentsDatabase,
} from '../../../support/payments-database.js';
import { ownPrefix, TimeTravellingRedis } from '../../../support/redis.js';
import { redisOfSpecs } from '../../../support/redis-of-specs.js';
import { sealed } from '../../../support/sealed-storage.js';
import { describeWith, postgresService, redisService } from '../../../support/services.js';
import { describeWithSqlite, sqliteFile, type SqliteTestFile } from '../../../support/sqlite-file.js';

type TestedStorage = PaymentsStorage & { readonly pass: (ms: number) => Promise<void> | void };

function everyContract(open: () => TestedStorage): void {
  describe('its journal', () => {
    journalContract(open);
  });
  describe('its daily caps', () => {
    dailyCapContract(open);
  });
  describe('its inbox', () => {
    inboxContract(open);
  });
  describe('its conflicts', () => {
    conflictContract(open);
  });
}

describeWith([postgresService], 'postgresStorage() with an encryption', () => {
  let database: PaymentsDatabase;
  const open = (transactional = false): TestedStorage => {
    const { pool, schema, pass } = database;
    return { ...sealed(postgresStorage({ pool, schema, transactional })), pass };
  };

  describe('as a plain storage', () => {
    beforeAll(async () => {
      database = await openPaymentsDatabase(postgresService.url);
    });
    afterEach(() => database.clear());
    afterAll(() => database.close());

    everyContract(open);
    describe('its journal inside of a transaction of the application', () => {
      joinedJournalContract(() => ({
        ...open(),
        begin: async () => {
          const handle = await database.pool.connect();
          await handle.query('BEGIN');
          const end = async (how: string): Promise<void> => {
            await handle.query(how);
            handle.release();
          };
          return { handle, commit: () => end('COMMIT'), rollback: () => end('ROLLBACK') };
        },
      }));
    });
  });

  describe('with the transaction of the handlers', () => {
    // Claims that a test leaves open hold their connections.
    beforeEach(async () => {
      database = await borrowPaymentsDatabase(postgresService.url);
    });
    afterEach(() => database.close());
    inboxContract(() => open(true), { remembersHandlers: false });
  });
});

describeWith([redisService], 'redisStorage() with an encryption', () => {
  const { prefix, client } = redisOfSpecs();
  everyContract(() => {
    const travelling = new TimeTravellingRedis(client());
    const storage = redisStorage({ client: travelling, keyPrefix: `${prefix}${ownPrefix()}` });
    return {
      ...sealed(storage),
      pass: (ms) => {
        travelling.pass(ms);
      },
    };
  });
});

describeWithSqlite('sqliteStorage() with an encryption', () => {
  let file: SqliteTestFile;
  beforeEach(() => {
    file = sqliteFile();
  });
  afterEach(() => file.close());
  everyContract(() => ({ ...sealed(file.open()), pass: file.pass }));
});
