import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type PaymentsStorage } from 'nestjs-payments';
import { migrateSqlStorage, sqlStorage, type SqlStorageOptions } from 'nestjs-payments/sql';
import { fromTypeOrm } from 'nestjs-payments/typeorm';
import { describeWith, postgresService } from '../support/services.js';
import { executorContracts } from './executor-contracts.js';
import { beginOn } from './typeorm-way.js';
import { openTypeOrm, type TypeOrmDatabase, TYPEORMS } from './typeorm-database.js';

describeWith([postgresService], 'sqlStorage() on a DataSource for PostgreSQL', () => {
  describe.each(TYPEORMS)('of TypeORM %s', (_version, packed) => {
    executorContracts(async () => {
      const database = await openTypeOrm(packed);
      const { dataSource } = database;
      return { ...database, executor: fromTypeOrm(dataSource), begin: () => beginOn(dataSource) };
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
