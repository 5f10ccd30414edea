import {
  borrowPaymentsDatabase,
  endOtherConnections,
  type PaymentsDatabase,
} from '../support/payments-database.js';
import { type ApplicationTransaction } from 'nestjs-payments/testing';
import { type Service, mysqlService, postgresService } from '../support/services.js';
import { Pool } from 'pg';
import { mysqlAccounts, postgresAccounts } from './accounts.js';
import { type OpenExecutor, type OrmExecutor } from './executors.js';
import { type HandlerWay } from './handler-cases.js';
import { borrowMysql, openMysql } from './mysql-database.js';
import { type ExecutorDatabase } from './executor-contracts.js';

/** The package's tables, and an ORM on a pool of the application's own. */
export interface OrmDatabase extends ExecutorDatabase, OpenExecutor {}

/** A database server that the ORMs can use. */
export interface OrmServer {
  readonly name: string;
  readonly service: Service;
  readonly open: (orm: OrmExecutor<object>, poolSize?: number) => Promise<OrmDatabase>;
  /** It may be the database of an earlier test. */
  readonly borrow: (orm: OrmExecutor<object>) => Promise<OrmDatabase>;
  /** The same with accounts that handlers credit. */
  readonly openWay: (orm: OrmExecutor<object>, poolSize: number) => Promise<HandlerWay<object>>;
}

async function onPostgres(
  orm: OrmExecutor<object>,
  max = 10,
): Promise<OrmDatabase & Pick<PaymentsDatabase, 'pool'>> {
  const database = await borrowPaymentsDatabase(postgresService.url);
  // The class of the pg that the ORMs have.
  const pool = new Pool({ ...database.pool.options, application_name: database.schema, max });
  pool.on('error', () => undefined);
  // The end of the spec kills connections that a test has left open: pg tells those who borrowed them, too.
  pool.on('connect', (client) => client.on('error', () => undefined));
  const opened = orm.openPostgres(pool);
  return {
    ...database,
    ...opened,
    begin: () => held(opened),
    close: async () => {
      // Not awaited: a pool waits for connections whose claims a test left open.
      void pool.end();
      await endOtherConnections(database);
      await database.close();
    },
  };
}

async function onMysql(orm: OrmExecutor<object>, poolSize = 10, open = openMysql) {
  const database = await open();
  const opened = orm.openMysql(database.url, poolSize);
  return {
    ...database,
    ...opened,
    executor: database.inTime(opened.executor),
    begin: () => held(opened),
    close: async () => {
      // Not awaited: Knex waits for connections that a test left open.
      void opened.close().catch(() => undefined);
      await database.close();
    },
  };
}

export const ON_POSTGRES: OrmServer = {
  name: 'PostgreSQL',
  service: postgresService,
  open: onPostgres,
  borrow: onPostgres,
  openWay: async (orm, poolSize) => {
    const database = await onPostgres(orm, poolSize);
    return { ...database, ...orm, ...(await postgresAccounts(database.pool, orm.send)) };
  },
};
export const ON_MARIADB: OrmServer = {
  name: 'MariaDB',
  service: mysqlService,
  open: onMysql,
  borrow: (orm) => onMysql(orm, 10, borrowMysql),
  openWay: async (orm, poolSize) => {
    const database = await onMysql(orm, poolSize, borrowMysql);
    return { ...database, ...orm, ...(await mysqlAccounts(database, orm.send)) };
  },
};
export const ORM_SERVERS = [ON_POSTGRES, ON_MARIADB];

/** Holds a transaction of a callback open until somebody asks for its end. */
function held({ transaction }: Pick<OpenExecutor, 'transaction'>): Promise<ApplicationTransaction> {
  return new Promise((resolve, reject) => {
    let end: (error?: Error) => void = () => undefined;
    const ended = Promise.resolve(
      transaction(
        (handle) =>
          new Promise<void>((commit, rollback) => {
            end = (error) => {
              if (error) rollback(error);
              else commit();
            };
            resolve({
              handle,
              commit: () => {
                end();
                return ended;
              },
              rollback: () => {
                end(new Error('rolled back'));
                return ended.catch(() => undefined);
              },
            });
          }),
      ),
    );
    ended.catch(reject);
  });
}
