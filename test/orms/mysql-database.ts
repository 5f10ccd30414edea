import { randomBytes } from 'node:crypto';
import { createPool, type Pool } from 'mysql2/promise';
import { fromMysql2 } from 'nestjs-payments/mysql';
import { migrateSqlStorage, type SqlExecutor, type SqlRunner } from 'nestjs-payments/sql';
import { fromTypeOrm } from 'nestjs-payments/typeorm';
import { type DataSource } from 'typeorm';
import { PAYMENTS_TABLES } from '../support/payments-database.js';
import { mysqlService } from '../support/services.js';
import { type ExecutorDatabase } from './storage-contracts.js';
import { beginOn } from './typeorm-way.js';
import { type TypeOrm } from './typeorm-database.js';

/** A database of its own on the server, with the package's tables, and a pool to look at it. */
export interface MysqlDatabase extends ExecutorDatabase {
  readonly pool: Pool;
  readonly url: string;
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

export async function openMysql(poolSize = 10): Promise<MysqlDatabase> {
  const name = `payments_${randomBytes(6).toString('hex')}`;
  const server = createPool({ uri: mysqlService.url, connectionLimit: 1 });
  await server.query(`CREATE DATABASE ${name}`);
  const url = new URL(mysqlService.url);
  url.pathname = `/${name}`;
  const pool = createPool({ uri: url.href, connectionLimit: poolSize });
  let aheadMs = 0;
  const inTime = (executor: SqlExecutor): SqlExecutor => aheadOf(executor, () => aheadMs);
  await migrateSqlStorage(fromMysql2(pool));
  return {
    executor: inTime(fromMysql2(pool)),
    inTime,
    pool,
    url: url.href,
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
    clear: async () => {
      for (const table of PAYMENTS_TABLES) await pool.query(`DELETE FROM ${table}`);
    },
    close: async () => {
      // Transactions that a test left open keep their tables.
      const [open] = await server.query('SELECT id FROM information_schema.processlist WHERE db = ?', [name]);
      for (const { id } of open as { readonly id: number }[]) {
        await server.query(`KILL ${id}`).catch(() => undefined);
      }
      await pool.end().catch(() => undefined);
      await server.query(`DROP DATABASE ${name}`);
      await server.end();
    },
  };
}

/** The same, used through a data source of TypeORM. */
export async function openTypeOrmOnMysql(
  packed: TypeOrm,
  entities: readonly unknown[] = [],
  poolSize = 10,
): Promise<MysqlDatabase & { readonly dataSource: DataSource }> {
  const database = await openMysql();
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
