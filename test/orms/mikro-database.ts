import { type MikroORM } from '@mikro-orm/core';
import { Pool } from 'pg';
import { fromMikroOrm } from 'nestjs-payments/mikro-orm';
import { type SqlExecutor } from 'nestjs-payments/sql';
import { borrowPaymentsDatabase } from '../support/payments-database.js';
import { postgresService } from '../support/services.js';
import { openMikroOrm, openMikroOrmOnMariaDb } from './mikro-executor.js';
import { openMysql } from './mysql-database.js';

/** The package's tables, and a MikroORM of the application for the same database. */
export interface MikroDatabase {
  readonly orm: MikroORM;
  readonly executor: SqlExecutor;
  /** Of PostgreSQL. */
  readonly schema?: string;
  close(): Promise<void>;
}

export async function openMikroOnPostgres(options: object = {}): Promise<MikroDatabase> {
  const database = await borrowPaymentsDatabase(postgresService.url);
  const { schema } = database;
  const pool = new Pool({ ...database.pool.options, application_name: schema });
  // The next test that borrows the database ends connections that are still closing.
  pool.on('error', () => undefined);
  const orm = openMikroOrm(pool, options);
  return {
    orm,
    executor: fromMikroOrm(orm),
    schema,
    close: async () => {
      await orm.close(true);
      await database.close();
    },
  };
}

export async function openMikroOnMariaDb(options: object = {}): Promise<MikroDatabase> {
  const database = await openMysql();
  const orm = openMikroOrmOnMariaDb(database.url, 10, options);
  return {
    orm,
    executor: fromMikroOrm(orm),
    close: async () => {
      await orm.close(true);
      await database.close();
    },
  };
}
