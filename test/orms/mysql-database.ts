import { randomBytes } from 'node:crypto';
import { createPool, type Pool } from 'mysql2/promise';
import { expect } from 'vitest';
import { eventually } from '../support/eventually.js';
import { fromMysql2 } from 'nestjs-payments/mysql';
import { migrateSqlStorage, type SqlExecutor, type SqlRunner } from 'nestjs-payments/sql';
import { fromTypeOrm } from 'nestjs-payments/typeorm';
import { type DataSource } from 'typeorm';
import { PAYMENTS_TABLES } from '../support/payments-database.js';
import { mysqlService } from '../support/services.js';
import { type ExecutorDatabase } from './executor-contracts.js';
import { beginOn } from './typeorm-way.js';
import { type TypeOrm } from './typeorm-database.js';

/** A database of its own on the server, with the package's tables, and a pool to look at it. */
export interface MysqlDatabase extends ExecutorDatabase {
  readonly pool: Pool;
  readonly url: string;
  /** A pool of the application. It ends with the database. */
  readonly openPool: (connectionLimit: number) => Pool;
  /** Ends what else the application has open, when the database is closed. */
  readonly onClose: (end: () => Promise<unknown>) => void;
  /** Another executor of the same database, with its clock. */
  readonly inTime: (executor: SqlExecutor) => SqlExecutor;
}

/** The server's own clock cannot be turned: here the statements ask for a later time. */
function aheadOf(executor: SqlExecutor, aheadMs: () => number): SqlExecutor {
  const later = (text: string): string =>
    text.replaceAll('UTC_TIMESTAMP(3)', `(UTC_TIMESTAMP(3) + INTERVAL ${aheadMs() * 1_000} MICROSECOND)`);
  const runner = <Runner extends SqlRunner>(given: Runner): Runner => ({
    ...given,
    query: (text: string, params?: readonly unknown[]) => given.query(later(text), params),
    execute: (text: string, params?: readonly unknown[]) => given.execute(later(text), params),
  });
  return {
    ...runner(executor),
    transaction: (work, options) => executor.transaction((transaction) => work(runner(transaction)), options),
    wrapTransaction: (handle) => runner(executor.wrapTransaction(handle)),
  };
}

/** The databases that tests have given back. To make another one takes longer than most tests. */
const givenBack: string[] = [];

/** A database that nobody has used before. */
export function openMysql(poolSize?: number): Promise<MysqlDatabase> {
  return databaseOf(undefined, poolSize);
}

/**
 * It may be the database of an earlier test: nothing is stored and no time has passed, but counters continue, and an
 * INSERT of a key that was deleted a moment ago may wait for others of the same key.
 */
export async function borrowMysql(poolSize?: number): Promise<MysqlDatabase> {
  const database = await databaseOf(givenBack.pop(), poolSize);
  let isLent = true;
  return {
    ...database,
    close: async () => {
      await database.close();
      if (isLent) givenBack.push(new URL(database.url).pathname.slice(1));
      isLent = false;
    },
  };
}

async function databaseOf(used: string | undefined, poolSize = 10): Promise<MysqlDatabase> {
  const server = createPool({ uri: mysqlService.url, connectionLimit: 1 });
  const name = used ?? `${process.env['TEST_MYSQL_DATABASES']}_${randomBytes(6).toString('hex')}`;
  if (used === undefined) await server.query(`CREATE DATABASE ${name}`);
  const url = new URL(mysqlService.url);
  url.pathname = `/${name}`;
  const pool = createPool({ uri: url.href, connectionLimit: poolSize });
  const ends: (() => Promise<unknown>)[] = [];
  let aheadMs = 0;
  const inTime = (executor: SqlExecutor): SqlExecutor => aheadOf(executor, () => aheadMs);
  const clear = async (): Promise<void> => {
    for (const table of PAYMENTS_TABLES) await pool.query(`DELETE FROM ${table}`);
  };
  if (used === undefined) await migrateSqlStorage(fromMysql2(pool));
  else {
    await clear();
    await dropOtherTables(pool, name);
  }
  return {
    executor: inTime(fromMysql2(pool)),
    inTime,
    pool,
    url: url.href,
    openPool: (connectionLimit) => {
      const opened = createPool({ uri: url.href, connectionLimit });
      ends.push(() => opened.end());
      return opened;
    },
    onClose: (end) => {
      ends.push(end);
    },
    begin: async () => {
      const connection = await pool.getConnection();
      await connection.beginTransaction();
      const end = async (how: Promise<void>): Promise<void> => {
        await how;
        connection.release();
      };
      return {
        handle: connection,
        commit: () => end(connection.commit()),
        rollback: () => end(connection.rollback()),
      };
    },
    pass: (ms) => {
      aheadMs += ms;
      return Promise.resolve();
    },
    clear,
    close: async () => {
      // Not awaited: an ORM waits for the connections that a test has left open.
      for (const end of ends.splice(0)) end().catch(() => undefined);
      pool.end().catch(() => undefined);
      await endConnections(server, name);
      await server.end();
    },
  };
}

/** Ends all connections of a database, also those that pools and processes of a test left behind. */
function endConnections(server: Pool, name: string): Promise<void> {
  return eventually(async () => {
    const [open] = await server.query('SELECT id FROM information_schema.processlist WHERE db = ?', [name]);
    const ids = (open as { readonly id: number }[]).map(({ id }) => id);
    // It may have ended in the meantime.
    for (const id of ids) await server.query(`KILL ${id}`).catch(() => undefined);
    expect(ids).toEqual([]);
  });
}

async function dropOtherTables(pool: Pool, name: string): Promise<void> {
  const [tables] = await pool.query(
    "SELECT table_name AS name FROM information_schema.tables WHERE table_schema = ? AND table_name NOT LIKE 'payments\\_%'",
    [name],
  );
  for (const table of tables as { readonly name: string }[]) await pool.query(`DROP TABLE \`${table.name}\``);
}

/** The same, used through a data source of TypeORM. */
export async function openTypeOrmOnMysql(
  packed: TypeOrm,
  entities: readonly unknown[] = [],
  poolSize = 10,
  open = openMysql,
): Promise<MysqlDatabase & { readonly dataSource: DataSource }> {
  const database = await open();
  const dataSource: DataSource = await new packed.DataSource({
    type: 'mariadb',
    url: database.url,
    entities,
    poolSize,
  }).initialize();
  return {
    ...database,
    dataSource,
    executor: database.inTime(fromTypeOrm(dataSource)),
    begin: () => beginOn(dataSource),
    close: async () => {
      await database.close();
      await dataSource.destroy().catch(() => undefined);
    },
  };
}
