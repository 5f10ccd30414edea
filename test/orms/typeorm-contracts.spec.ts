import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type PaymentsStorage } from 'nestjs-payments';
import { migrateSqlStorage, sqlStorage, type SqlStorageOptions } from 'nestjs-payments/sql';
import { fromTypeOrm } from 'nestjs-payments/typeorm';
import { conflictContract } from '../support/conflict-contract.js';
import { inboxContract } from '../support/inbox-contract.js';
import { joinedJournalContract } from '../support/joined-journal-contract.js';
import { journalContract } from '../support/journal-contract.js';
import { describeWith, postgresService } from '../support/services.js';
import { openTypeOrm, type TypeOrmDatabase, TYPEORMS } from './typeorm-database.js';

describeWith([postgresService], 'sqlStorage() on a DataSource for PostgreSQL', () => {
  describe.each(TYPEORMS)('of TypeORM %s', (_version, packed) => {
    let database: TypeOrmDatabase;
    const storage = (transactional = false): PaymentsStorage =>
      sqlStorage({ executor: fromTypeOrm(database.dataSource), schema: database.schema, transactional });

    describe('as a plain storage', () => {
      beforeAll(async () => {
        database = await openTypeOrm(packed);
      });
      afterEach(() => database.clear());
      afterAll(() => database.close());

      describe('its inbox', () => {
        inboxContract(() => ({ inbox: storage().inbox, pass: database.pass }));
      });
      describe('its conflicts', () => {
        conflictContract(() => ({ ...storage(), pass: database.pass }));
      });
      describe('its journal', () => {
        journalContract(() => ({ journal: storage().journal, pass: database.pass }));
      });
      describe('its journal inside of a transaction of the application', () => {
        joinedJournalContract(() => ({
          journal: storage().journal,
          pass: database.pass,
          begin: async () => {
            const runner = database.dataSource.createQueryRunner();
            await runner.startTransaction();
            const end = async (how: Promise<void>): Promise<void> => {
              await how;
              await runner.release();
            };
            return {
              handle: runner.manager,
              commit: () => end(runner.commitTransaction()),
              rollback: () => end(runner.rollbackTransaction()),
            };
          },
        }));
      });
    });

    describe('with the transaction of the handlers', () => {
      // Claims that a test leaves open hold their connections.
      beforeEach(async () => {
        database = await openTypeOrm(packed);
      });
      afterEach(() => database.close());

      inboxContract(() => ({ inbox: storage(true).inbox, pass: database.pass }), {
        remembersHandlers: false,
      });
      conflictContract(() => ({ ...storage(true), pass: database.pass }));
    });
  });
});

describeWith([postgresService], 'sqlStorage() without tables', () => {
  let database: TypeOrmDatabase;
  const options = (): SqlStorageOptions => ({
    executor: fromTypeOrm(database.dataSource),
    schema: `${database.schema} of its own`,
  });
  const list = ({ journal }: PaymentsStorage): Promise<unknown> =>
    journal.list({ account: 'default', environment: 'sandbox', family: 'collection' }, [], { limit: 1 });

  beforeEach(async () => {
    database = await openTypeOrm(TYPEORMS[0]![1]);
  });
  afterEach(async () => {
    await database.pool.query(`DROP SCHEMA IF EXISTS "${options().schema}" CASCADE`);
    await database.close();
  });

  it('says what to call', async () => {
    const storage = sqlStorage(options());
    await expect(list(storage)).rejects.toThrow('call migrateSqlStorage(executor)');
    await migrateSqlStorage(options().executor, { schema: options().schema! });
    await list(storage);
  });

  it('makes them at boot with migrate: true, for replicas that start together', async () => {
    const replicas = [1, 2, 3].map(() => sqlStorage({ ...options(), migrate: true }));
    await Promise.all(replicas.map(({ open }) => open!()));
    await Promise.all(replicas.map(list));
  });

  it('refuses the tables of a newer version', async () => {
    const { schema, executor } = options();
    await migrateSqlStorage(executor, { schema: schema! });
    await executor.execute(
      `INSERT INTO "${schema}".payments_migrations (version, compatible_from) VALUES (99, 99)`,
    );
    await expect(list(sqlStorage(options()))).rejects.toThrow('holds version 99');
    await expect(migrateSqlStorage(executor, { schema: schema! })).rejects.toThrow('holds version 99');
  });
});
