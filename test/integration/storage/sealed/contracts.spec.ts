import { afterAll, afterEach, beforeAll, beforeEach, describe } from 'vitest';
import { postgresStorage } from 'nestjs-payments/postgres';
import { redisStorage } from 'nestjs-payments/redis';
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
import {
  joiningContracts,
  storageContracts,
  type TestedStorage,
  transactionalContracts,
} from '../../../support/storage-contracts.js';

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

    storageContracts(open);
    joiningContracts(() => ({ ...open(), begin: database.begin }));
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

describeWith([redisService], 'redisStorage() with an encryption', () => {
  const { prefix, client } = redisOfSpecs();
  storageContracts(() => {
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
  const open = (transactional = false): TestedStorage => ({
    ...sealed(file.open(transactional)),
    pass: file.pass,
  });
  storageContracts(open);
  joiningContracts(() => ({ ...open(), begin: file.begin }));
  describe('with the transaction of the handlers', () => {
    transactionalContracts(() => open(true), { hasOneWriter: true });
  });
});
